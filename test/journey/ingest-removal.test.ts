import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { byPage, contents } from '../world/agreement.ts'
import {
  assertCountsAddUp,
  type IngestWorld,
  openIngest,
  type Seen,
  WITHOUT_VECTORS,
  wikiPart,
} from '../world/ingest.ts'
import { ALL_PEOPLE } from '../world/small-world.ts'

describe('what millrace-ingest removes and hides', () => {
  let world: IngestWorld
  before(async () => {
    world = await openIngest({ seed: 31, pages: 12, spaces: 1, people: 6, groups: 3 })
  })
  after(() => world.close())

  test('it removes trashed pages while another space cannot be listed', async () => {
    const { seen, runJob, pages } = await prepareSpace('TRA', 4)
    const other = await world.wiki.control.addSpace({ key: 'OTH', name: 'Other', permissions: ALL_PEOPLE })
    const stays = await world.wiki.control.createPage({ space: 'OTH', title: 'Stays' })
    assert.equal((await runJob()).code, 0)
    for (const id of pages) await world.wiki.control.trashPage(id)
    const fault = { path: `/spaces/${other.id}/pages`, status: 403, body: {}, times: null }
    await world.wiki.control.fail(fault)
    const ran = await runJob()
    await world.wiki.control.clearFaults()
    assert.deepEqual([ran.code, ran.done.counts.removed, ran.done.complete], [1, 4, false], ran.err)
    const held = byPage(await contents(seen))
    assert.deepEqual(
      pages.filter((id) => held.has(id)),
      [],
    )
    assert.ok(held.has(stays))
  })

  test('it hides what it holds back, and removes it with --approve-deletions', async () => {
    const { seen, runJob, pages } = await prepareSpace('ARC', 25)
    assert.equal((await runJob()).code, 0)
    await world.wiki.control.setSpaceStatus('ARC', 'archived')
    const ran = await runJob()
    assert.deepEqual([ran.code, ran.done.held_back, ran.done.counts.removed], [1, 26, 0], ran.err)
    assert.deepEqual(await visible(seen, pages), [])
    assert.equal((await runJob('--approve-deletions')).done.counts.removed, 26)
    await world.wiki.control.deleteSpace('ARC')
  })

  test('it updates permissions alone with --permissions-only', async () => {
    const { seen, runJob, pages } = await prepareSpace('PER', 3)
    assert.equal((await runJob()).code, 0)
    const { control } = world.wiki
    const [restricted = '', trashed = '', edited = ''] = pages
    const before = byPage(await contents(seen)).get(edited)?.[0]?._source.text
    await control.restrict(restricted, { read: { users: ['someone-else'] } })
    await control.trashPage(trashed)
    await control.editPage(edited, { body: '<p>another text</p>' })
    await control.createPage({ space: 'PER', title: 'New' })
    await control.resetCounts()
    const ran = await runJob('--permissions-only')
    assert.deepEqual([ran.code, ran.done.counts.new, ran.done.counts.removed], [0, 0, 0], ran.err)
    const requests = await control.requests()
    assert.deepEqual(
      requests.filter(({ url }) => /body[.-]/.test(url)),
      [],
    )
    assert.deepEqual(await visible(seen, [trashed]), [])
    const held = byPage(await contents(seen))
    assert.ok(held.get(restricted)?.[0]?._source.metadata.data_source.access.c1)
    assert.equal(held.get(edited)?.[0]?._source.text, before)
    assert.equal((await runJob()).done.counts.removed, 1)
    await control.deleteSpace('PER')
  })

  /** A space with its own pages, and a job with its own index. */
  async function prepareSpace(key: string, count: number) {
    const { seen, destination } = await world.freshDestination()
    const { control } = world.wiki
    const { id: space } = await control.addSpace({ key, name: key, permissions: ALL_PEOPLE })
    const pages: string[] = []
    for (let at = 0; at < count; at++)
      pages.push(await control.createPage({ space: key, title: `Page ${at}`, body: `<p>walrus ${at}</p>` }))
    const job = await world.job(`${key}.yaml`, {
      ...{ source: wikiPart(world.wiki), destination, nodes: WITHOUT_VECTORS },
    })
    const runJob = async (...args: string[]) => {
      const ran = await world.run(['run', job, '--json', ...args])
      return { ...ran, ...assertCountsAddUp(ran) }
    }
    return { seen, runJob, pages, job, space }
  }
})

/** The pages that licensed people find. */
async function visible(seen: Seen, pages: string[]): Promise<string[]> {
  const held = byPage(await contents(seen))
  return pages.filter((id) =>
    (held.get(id) ?? []).some(({ _source }) =>
      _source.metadata.data_source.access.c0?.some((token) => token.endsWith('all-licensed-users')),
    ),
  )
}
