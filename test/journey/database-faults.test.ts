import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAgreement } from '../world/agreement.ts'
import { detailsOf, type Flow, finish, makeFlow, startRun, until } from '../world/flow.ts'
import { patientApi } from '../world/patient-api.ts'
import type { PostgresProxy } from '../world/postgres-proxy.ts'
import { editAtRandom, randomOf } from '../world/random-edits.ts'
import { openWorld, type World } from '../world/world.ts'

/** Faults between Millrace and its database, through a proxy. */

// Longer than the heartbeat of a task (20 s). By hand: 60.
const AWAY_MS = Number(process.env.MILLRACE_TEST_AWAY_SECONDS ?? 25) * 1000
const CUTS = 30
const BLACK_HOLE_MS = 20_000
// Shorter than in production, where the driver waits for more than a minute.
const SHORT_TIMEOUTS =
  '?query_timeout=12000&statement_timeout=11000&idle_in_transaction_session_timeout=11000&connectionTimeoutMillis=8000'

// At once, because most of the time they wait.
describe('database faults', { concurrency: true }, () => {
  for (const [what, path] of [
    ['a listing', '/spaces/\\d+/pages'],
    ['content work', 'body\\.storage'],
  ] as const)
    test(`it finishes the job after the database was away during ${what}`, () =>
      withFaults({}, async ({ world, flow, proxy }) => {
        await world.wiki.control.fail({ path, delayMs: 3000, times: null, after: 1 })
        const jobId = await startRun(world, flow)
        await until(
          () => world.wiki.control.counts(),
          ({ requests }) => requests > 12,
        )
        await sleep(2000)
        proxy.away()
        await world.wiki.control.clearFaults()
        await assertUnavailable(world, AWAY_MS)
        proxy.back()
        await succeeds(world, jobId)
      }))

  test(`it loses nothing when connections are cut at ${CUTS} random moments (seed 17)`, () =>
    withFaults({}, async ({ world, flow, proxy }) => {
      const random = randomOf(17)
      const api = patientApi(world.api)
      world.api = api
      let cuts = 0
      let job = await startPatiently(world, flow)
      const cutting = (async () => {
        for (; cuts < CUTS; cuts++) {
          await sleep(50 + random() * 450)
          cutAtRandom(proxy, random)
        }
      })()
      for (let run = 0; cuts < CUTS || run === 0; run++) {
        await succeeds(world, job)
        await editAtRandom(world, { random, times: 8 })
        job = await startPatiently(world, flow)
      }
      await cutting
      const { counts } = await succeeds(world, job)
      assert.equal(counts.failed, 0)
      assert.ok(proxy.openConnections() > 0)
    }))

  test('it continues after a black hole of 20 s', () =>
    withFaults({ query: SHORT_TIMEOUTS }, async ({ world, flow, proxy }) => {
      await world.wiki.control.fail({ path: 'body[.-]', delayMs: 1000, times: null })
      const jobId = await startRun(world, flow)
      await until(
        () => detailsOf(world, jobId),
        ({ summary }) => summary.total_docs > 0,
      )
      proxy.blackHole()
      await world.wiki.control.clearFaults()
      await assertUnavailable(world, BLACK_HOLE_MS)
      proxy.back()
      await succeeds(world, jobId)
    }))
})

type Faulty = { world: World; flow: Flow; proxy: PostgresProxy }

async function withFaults(
  { query = '' }: { query?: string },
  work: (faulty: Faulty) => Promise<void>,
): Promise<void> {
  const wiki = { seed: 31, pages: 60, spaces: 3, people: 8, groups: 3, latencyMs: 20 }
  const world = await openWorld({ wiki, databaseFaults: query })
  try {
    assert.ok(world.databaseProxy)
    await work({ world, flow: await makeFlow(world), proxy: world.databaseProxy })
  } finally {
    await world.close()
  }
}

/** Every answer in this time is a 503 with its reason, or a late answer from before. */
async function assertUnavailable(world: World, ms: number): Promise<void> {
  const end = Date.now() + ms
  const statuses: number[] = []
  for (; Date.now() < end; await sleep(300)) {
    const { status, text, headers } = await world.api.get('/workflows')
    statuses.push(status)
    if (status === 200) continue
    assert.equal(status, 503, text)
    assert.match(text, /database of this service cannot be reached.*try again/)
    assert.equal(headers.get('retry-after'), '5')
  }
  assert.equal(statuses.at(-1), 503, statuses.join())
  const ready = await fetch(`${world.millrace.url}/readyz`)
  assert.equal(ready.status, 503)
  assert.equal((await fetch(`${world.millrace.url}/healthz`)).status, 200)
}

/** The job ends well by itself, and the index equals the wiki at that moment. */
async function succeeds(world: World, jobId: string) {
  const patient = { ...world, api: patientApi(world.api) }
  const { details } = await finish(patient, jobId, 200)
  assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
  await assertAgreement(world)
  return details
}

/** A start whose answer was lost has started the job. */
async function startPatiently(world: World, { workflowId }: Flow): Promise<string> {
  const answer = await world.api.post<{ id?: string; detail?: string }>(`/workflows/${workflowId}/run`)
  if (answer.status === 202 && answer.body.id) return answer.body.id
  assert.equal(answer.status, 409, answer.text)
  return /job ([0-9a-f-]{36})/.exec(answer.text)?.[1] ?? assert.fail(answer.text)
}

function cutAtRandom(proxy: PostgresProxy, random: () => number): void {
  const cuts = [
    () => proxy.cut(),
    () => proxy.cutOne(random()),
    () => proxy.cutAfterBytes(Math.floor(random() * 20_000)),
    () => void proxy.cutAtCommit({ isForwarded: true }),
    () => void proxy.cutAtCommit({ isForwarded: false }),
  ]
  cuts[Math.floor(random() * cuts.length)]?.()
}
