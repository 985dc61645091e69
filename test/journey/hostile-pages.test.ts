import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finish, makeFlow, run, startRun } from '../world/flow.ts'
import { anotherDestination } from '../world/second-destination.ts'
import { inSmallWorld } from '../world/small-world.ts'
import { startWiki } from '../world/wiki/start.ts'

test('it finishes other pages although one page has only images, with two workers', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow } = setup
      await world.start('worker')
      await world.start('worker')
      const piece = '<img src=a>'
      const storage = piece.repeat(Math.floor((6 * 1024 * 1024) / piece.length))
      await world.wiki.control.createPage({ space: 'OPN', title: 'Hostile', body: storage })
      const { details } = await finish(world, await startRun(world, flow), 200)
      assert.equal(details.counts.failed, 0, JSON.stringify(details))
      assert.equal((await setup.bensHits()).length, 1)
    },
    { source: { extract_images: true }, role: 'api' },
  ))

test('it isolates a file whose name the database cannot store', () =>
  inSmallWorld(
    async ({ world, flow, page }) => {
      const file = { title: 'nul\u0000.txt', mediaType: 'text/plain', base64: 'aGVsbG8=' }
      await world.wiki.control.attach(page, file)
      const { details } = await run(world, flow)
      assert.equal(details.processing_status, 'SUCCESS', details.message ?? '')
      assert.equal(details.counts.new, 4)
    },
    { source: { extract_files: true } },
  ))

test('it runs jobs of other sites while one site is over quota', () =>
  inSmallWorld(async (setup) => {
    const { world } = setup
    const slow = await Promise.all([1, 2].map((seed) => startWiki({ seed, pages: 5, spaces: 1 })))
    try {
      const waiting: string[] = []
      for (const [at, wiki] of slow.entries()) {
        const headers = { 'retry-after': '1800', 'ratelimit-reason': 'confluence-quota-tenant-based' }
        await wiki.control.fail({ path: 'content/search', status: 429, times: null, body: {}, headers })
        const { config: destination } = await anotherDestination(world, `slow${at}`)
        const source = { url: wiki.siteUrl }
        const flow = await makeFlow(world, { suffix: `slow${at}`, source, destination })
        waiting.push(await startRun(world, flow))
      }
      const { details } = await run(world, setup.flow)
      assert.equal(details.processing_status, 'SUCCESS')
      for (const job of waiting) await world.api.post(`/jobs/${job}/cancel`)
    } finally {
      for (const wiki of slow) await wiki.stop()
    }
  }))
