import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAgreement, contents } from '../world/agreement.ts'
import { detailsOf, type Flow, finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { openWorld, type World, type WorldOptions } from '../world/world.ts'

test('it finishes the job after kill -9 and a restart', () =>
  inTheMiddle(async ({ world, flow, jobId }) => {
    await world.millrace.end('SIGKILL')
    assert.ok((await contents(world)).length > 0, 'something was in the index when it died')

    await world.restart()
    const { counts } = (await succeeds(world, jobId)).details
    assert.equal(counts.new, counts.discovered)
    const again = await run(world, flow)
    assert.equal(again.details.counts.unchanged, again.details.counts.discovered)
  }))

test('it leaves no old text of pages that change while a killed run waits', () =>
  inTheMiddle(async ({ world, flow, jobId }) => {
    await world.millrace.end('SIGKILL')
    for (const page of (await world.wiki.control.truth()).pages) {
      if (page.kind !== 'page' || page.status !== 'current') continue
      await world.wiki.control.editPage(page.id, {
        body: `<p>Rewritten while nobody was looking: ${page.id}.</p>`,
      })
    }
    await world.restart()
    await finish(world, jobId)
    const elements = (await succeeds(world, await startRun(world, flow))).elements
    const pages = new Set(elements.map((element) => element._source.record_id))
    assert.equal(elements.length, pages.size, 'one short chunk per page and no old one')
    for (const element of elements) assert.match(element._source.text, /Rewritten while nobody was looking/)
  }))

test('it moves the documents of a killed worker to another within 30 s', () =>
  inTheMiddle(
    async ({ world, jobId, workers }) => {
      await workers[0]?.end('SIGKILL')
      const killedAt = Date.now()
      await finish(world, jobId)
      const took = Date.now() - killedAt
      await succeeds(world, jobId)
      // The remaining worker has its own share to do in this time too.
      assert.ok(took < 30_000, `it took ${took} ms`)
    },
    { role: 'api', workers: 2, pages: 350 },
  ))

test('it stops cleanly on Ctrl-C, and the next start continues', () =>
  inTheMiddle(async ({ world, jobId }) => {
    assert.equal(await world.millrace.end('SIGINT'), 0)
    await world.restart()
    await succeeds(world, jobId)
  }))

test('it cancels within seconds, and the next run completes the index', () =>
  inTheMiddle(async ({ world, flow, jobId }) => {
    const cancelled = await world.api.post<{ status: string }>(`/jobs/${jobId}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'STOPPED'])
    const stopped = await finish(world, jobId)
    assert.equal(stopped.details.processing_status, 'STOPPED')
    assert.ok(stopped.details.counts.skipped > 0)
    await succeeds(world, await startRun(world, flow))
  }))

test('it refuses a second run of a running workflow and names the job', () =>
  inTheMiddle(async ({ world, flow, jobId }) => {
    const second = await world.api.post<{ detail: string }>(`/workflows/${flow.workflowId}/run`)
    assert.equal(second.status, 409)
    assert.match(second.body.detail, new RegExp(jobId))
    assert.equal((await world.api.delete(`/workflows/${flow.workflowId}`)).status, 409)
    await world.api.post(`/jobs/${jobId}/cancel`)
  }))

// Slow enough to be interrupted: about ten slices of a few requests each.
const slowWiki = { seed: 11, pages: 500, spaces: 5, people: 12, groups: 5, latencyMs: 150 }

type Start = { role?: WorldOptions['role']; workers?: number; pages?: number }
type Middle = { world: World; flow: Flow; jobId: string; workers: Awaited<ReturnType<World['start']>>[] }

/** A first run that has written something and is not finished. */
async function inTheMiddle(
  work: (middle: Middle) => Promise<void>,
  { role = 'all', workers: count = 0, pages = slowWiki.pages }: Start = {},
): Promise<void> {
  const world = await openWorld({ wiki: { ...slowWiki, pages }, role })
  try {
    const workers = await Promise.all(Array.from({ length: count }, () => world.start('worker')))
    const flow = await makeFlow(world)
    const jobId = await startRun(world, flow)
    await until(
      () => detailsOf(world, jobId),
      (details) => details.counts.new > 0,
    )
    await work({ world, flow, jobId, workers })
  } finally {
    await world.close()
  }
}

async function succeeds(world: World, jobId: string) {
  const ended = await finish(world, jobId)
  assert.equal(ended.status, 'COMPLETED')
  assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
  return { ...ended, elements: await assertAgreement(world) }
}
