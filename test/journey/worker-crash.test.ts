import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { assertAgreement, contents } from '../world/agreement.ts'
import { detailsOf, type Flow, finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { withDatabase } from '../world/past-runs.ts'
import { openWorld, type World, type WorldOptions } from '../world/world.ts'

// At once, because most of the time they wait for the heartbeat of a dead process. Kills at other moments:
// random-kills.test.ts.
describe('a run that is interrupted', { concurrency: true }, () => {
  test('it finishes after kill -9 and a restart, without old text of pages that changed meanwhile', () =>
    startUnfinishedRun(async ({ world, flow, jobId }) => {
      await world.millrace.end('SIGKILL')
      await world.wiki.control.clearFaults()
      assert.ok((await contents(world)).length > 0, 'something was in the index when it died')
      for (const page of (await world.wiki.control.truth()).pages) {
        if (page.kind !== 'page' || page.status !== 'current') continue
        await world.wiki.control.editPage(page.id, {
          body: `<p>Rewritten while nobody was looking: ${page.id}.</p>`,
        })
      }
      await world.restart()
      await finish(world, jobId, 300)
      const elements = (await succeeds(world, await startRun(world, flow))).elements
      const pages = new Set(elements.map((element) => element._source.record_id))
      assert.equal(elements.length, pages.size, 'one short chunk per page and no old one')
      for (const element of elements) assert.match(element._source.text, /Rewritten while nobody was looking/)
      const again = await run(world, flow)
      assert.equal(again.details.counts.unchanged, again.details.counts.discovered)
    }))

  test('it moves the documents of a killed worker to another within a minute', () =>
    startUnfinishedRun(
      async ({ world, jobId, workers }) => {
        await workers[0]?.end('SIGKILL')
        const killedAt = new Date()
        await world.wiki.control.clearFaults()
        await finish(world, jobId, 300)
        const { counts } = (await succeeds(world, jobId)).details
        assert.equal(counts.new, counts.discovered)
        // After a heartbeat of 20 s.
        for (const seconds of await takeovers(world, killedAt)) assert.ok(seconds < 60, `${seconds} s`)
      },
      { role: 'api', workers: 2 },
    ))

  test('it stops cleanly on Ctrl-C, and the next start continues', () =>
    startUnfinishedRun(async ({ world, jobId }) => {
      assert.equal(await world.millrace.end('SIGINT'), 0)
      await world.wiki.control.clearFaults()
      await world.restart()
      await succeeds(world, jobId)
    }))

  test('it refuses a second run and names the job, cancels within seconds, and the next run completes the index', () =>
    startUnfinishedRun(async ({ world, flow, jobId }) => {
      const second = await world.api.post<{ detail: string }>(`/workflows/${flow.workflowId}/run`)
      assert.equal(second.status, 409)
      assert.match(second.body.detail, new RegExp(jobId))
      assert.equal((await world.api.delete(`/workflows/${flow.workflowId}`)).status, 409)

      const cancelled = await world.api.post<{ status: string }>(`/jobs/${jobId}/cancel`)
      assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'STOPPED'])
      await world.wiki.control.clearFaults()
      const stopped = await finish(world, jobId)
      assert.equal(stopped.details.processing_status, 'STOPPED')
      assert.ok(stopped.details.counts.skipped > 0)
      await succeeds(world, await startRun(world, flow))
    }))
})

// Slow enough to be interrupted: several slices of a few requests each.
const slowWiki = { seed: 11, pages: 200, spaces: 5, people: 12, groups: 5, latencyMs: 150 }

type Start = { role?: WorldOptions['role']; workers?: number }
type UnfinishedRun = {
  world: World
  flow: Flow
  jobId: string
  workers: Awaited<ReturnType<World['start']>>[]
}

/** A first run that has written something and is not finished. */
async function startUnfinishedRun(
  work: (middle: UnfinishedRun) => Promise<void>,
  { role = 'all', workers: count = 0 }: Start = {},
): Promise<void> {
  const world = await openWorld({ wiki: slowWiki, role })
  try {
    const workers = await Promise.all(Array.from({ length: count }, () => world.start('worker')))
    const flow = await makeFlow(world)
    // The first documents are read, and the others only after the interruption.
    await world.wiki.control.fail({ path: 'body[.-]', isHeld: true, after: 1, times: null })
    const jobId = await startRun(world, flow)
    await until(
      () => detailsOf(world, jobId),
      (details) => details.counts.new > 0,
      180,
    )
    await work({ world, flow, jobId, workers })
  } finally {
    await world.close()
  }
}

/** Seconds from the end of a process until another one took each of its tasks. */
async function takeovers(world: World, endedAt: Date): Promise<number[]> {
  const { rows } = await withDatabase(world, (db) =>
    sql<{ seconds: number }>`select extract(epoch from started_on - ${endedAt}::timestamptz)::float as seconds
      from pgboss.job where retry_count > 0`.execute(db),
  )
  return rows.map(({ seconds }) => seconds)
}

async function succeeds(world: World, jobId: string) {
  const ended = await finish(world, jobId, 300)
  assert.equal(ended.status, 'COMPLETED')
  assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
  return { ...ended, elements: await assertAgreement(world) }
}
