import assert from 'node:assert/strict'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { sql } from 'kysely'
import project from '../../package.json' with { type: 'json' }
import { detailsOf, finish, run, startRun, until } from '../world/flow.ts'
import { withDatabase } from '../world/past-runs.ts'
import type { Fault as IndexFault } from '../world/search-engine/fault-proxy.ts'
import { type Millrace, startMillrace } from '../world/service.ts'
import { settles } from '../world/settled.ts'
import { passHeartbeat } from '../world/silent-process.ts'
import { inSmallWorld, onlyFor, type SmallWorld } from '../world/small-world.ts'
import { type Fault, fault } from '../world/wiki/faults.ts'

type Case = { wiki?: Fault; index?: IndexFault; moves: string[]; status?: string }

/** Which metrics of a worker each fault moves. */
const CASES: Record<string, Case> = {
  'the wiki limits the rate': {
    wiki: fault.rateLimited(1),
    moves: [
      'millrace_source_requests_total{status="429"}',
      'millrace_source_wait_seconds_total{reason="burst"}',
    ],
  },
  'the wiki fails': {
    wiki: fault.serverError(),
    moves: [
      'millrace_source_requests_total{status="5xx"}',
      'millrace_source_wait_seconds_total{reason="retry"}',
    ],
  },
  'the wiki is down': {
    wiki: fault.unavailable(1),
    moves: [
      'millrace_source_requests_total{status="5xx"}',
      'millrace_source_wait_seconds_total{reason="down"}',
    ],
  },
  'the wiki cuts a connection': {
    wiki: fault.reset(),
    moves: ['millrace_source_requests_total{status="none"}'],
  },
  'the wiki refuses the credentials': {
    wiki: { ...fault.unauthorized(), times: null },
    moves: [
      'millrace_source_requests_total{status="4xx"}',
      'millrace_tasks_total{queue="list",outcome="failed"}',
    ],
    status: 'FAILED',
  },
  'the index is overloaded': {
    index: { status: 429 },
    moves: ['millrace_destination_refusals_total{reason="overloaded"}'],
  },
  'the index refuses the size': {
    index: { status: 413 },
    moves: ['millrace_destination_refusals_total{reason="too_large"}'],
  },
  'the index cuts a connection': {
    index: { reset: true },
    moves: ['millrace_destination_refusals_total{reason="unreachable"}'],
  },
  'the index rejects an element': {
    index: {
      answer: (items) => {
        for (const item of Object.values(items[0] ?? {}))
          Object.assign(item, { status: 400, error: { type: 'document_parsing_exception', reason: 'x' } })
      },
    },
    moves: ['millrace_destination_refusals_total{reason="rejected"}'],
  },
}

test('it shows every fault in its metrics, and hands work over without failing documents', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow } = setup
      const start = (drainSeconds: string) => startWorker(setup, drainSeconds)
      const workers: Millrace[] = []
      try {
        const api = world.millrace.url ?? ''
        const jobId = await startRun(world, flow)
        await settles(() => metric(api, 'millrace_queue_tasks{queue="list"}'), 1)
        await until(
          () => metric(api, 'millrace_queue_age_seconds{queue="list"}'),
          (age) => age > 0,
        )
        await settles(() => metric(api, 'millrace_queue_workspaces'), 1)
        assert.doesNotMatch(await metricsOf(api), /workspace="/, 'an open port names no workspace')

        const first = await start('2')
        workers.push(first)
        const url = first.healthUrl ?? ''
        assertLogged(first)
        assert.deepEqual(await probe(url, '/healthz'), [200, 'ok'])
        assert.deepEqual(await probe(url, '/readyz'), [200, 'ready'])
        assert.deepEqual(await probe(url, '/api/v1/jobs'), [404, 'not found'])
        assert.equal((await finish(world, jobId)).status, 'COMPLETED')
        for (const name of [
          'millrace_stage_duration_seconds_count{stage="list"}',
          'millrace_stage_duration_seconds_count{stage="read"}',
          'millrace_stage_duration_seconds_count{stage="partition"}',
          'millrace_stage_duration_seconds_count{stage="chunk"}',
          'millrace_stage_duration_seconds_count{stage="write"}',
          'millrace_source_requests_total{status="2xx"}',
          'millrace_tasks_total{queue="list",outcome="done"}',
          'millrace_database_connections_max{pool="main"}',
          'millrace_database_connections_max{pool="engine"}',
        ])
          await until(
            () => metric(url, name),
            (value) => value > 0,
          )
        for (const [name, each] of Object.entries(CASES)) await assertMoves(setup, url, { name, ...each })
        await assertUnwritten(setup, url)

        // A dead process: another takes its tasks over, after the heartbeat.
        const held = await holdRun(setup)
        await first.end('SIGKILL')
        await passHeartbeat(setup.world.databaseUrl)
        const second = await start('2')
        workers.push(second)
        await until(
          () => metric(second.healthUrl ?? '', 'millrace_task_takeovers_total{queue="content"}'),
          (count) => count > 0,
        )
        await world.wiki.control.clearFaults()
        assert.equal((await finish(world, held)).details.counts.failed, 0)

        // A stopping process: its tasks go back at the limit, and use up no retry.
        const interrupted = await holdRun(setup)
        const third = await start('600')
        workers.push(third)
        assert.equal(await second.end('SIGTERM'), 0)
        await world.wiki.control.clearFaults()
        const ended = await finish(world, interrupted)
        assert.deepEqual([ended.status, ended.details.counts.failed], ['COMPLETED', 0])
        assert.equal(await retriesOf(setup, interrupted), 0)

        // Enough time: it says that it stops, takes no new task and finishes what it has.
        const finished = await holdRun(setup)
        const thirdUrl = third.healthUrl ?? ''
        const exited = once(third.process, 'exit')
        third.process.kill('SIGTERM')
        await settles(() => probe(thirdUrl, '/readyz'), [503, 'the process stops'])
        assert.deepEqual(await probe(thirdUrl, '/healthz'), [200, 'ok'])
        await world.wiki.control.clearFaults()
        assert.deepEqual(await exited, [0, null])
        workers.push(await start('2'))
        const last = await finish(world, finished)
        assert.deepEqual([last.status, last.details.counts.failed], ['COMPLETED', 0])
      } finally {
        await Promise.all(workers.map((worker) => worker.end('SIGKILL')))
      }
    },
    { role: 'api' },
  ))

function startWorker({ world }: SmallWorld, drainSeconds: string): Promise<Millrace> {
  const env = { MILLRACE_ALLOWED_HOSTS: '127.0.0.1', MILLRACE_DRAIN_SECONDS: drainSeconds }
  return startMillrace({ databaseUrl: world.databaseUrl, role: 'worker', env })
}

/** Every line says which process wrote it, and one says how many connections the process may open. */
function assertLogged({ lines, process: { pid } }: Millrace): void {
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  for (const line of parsed)
    assert.deepEqual(
      [line.role, line.host, line.pid, line.version],
      ['worker', hostname(), pid, project.version],
    )
  const budget = parsed.find(({ connections }) => connections)
  assert.deepEqual(budget?.connections, { main: 5, engine: 2, notifications: 1 })
  assert.ok(Number(budget?.max_connections) > 0)
}

async function assertMoves(
  { world, flow, page, proxy }: SmallWorld,
  url: string,
  { name, wiki, index, moves, status = 'COMPLETED' }: Case & { name: string },
): Promise<void> {
  await passCache(url)
  const before = await Promise.all(moves.map((each) => metric(url, each)))
  await world.wiki.control.editPage(page, { body: `<p>zebrafish while ${name}</p>` })
  let faults = 1
  proxy.on(({ path }) => (index && path.includes('_bulk') && faults-- > 0 ? index : undefined))
  if (wiki) await world.wiki.control.fail(wiki)
  assert.equal((await run(world, flow)).status, status, name)
  await world.wiki.control.clearFaults()
  proxy.on(() => undefined)
  for (const [at, each] of moves.entries())
    await until(
      () => metric(url, each),
      (after) => after > (before[at] ?? 0),
    ).catch((error) => assert.fail(`${name}: ${each} stays at ${before[at]} (${error})`))
}

/** A revocation that was read and is not in the index yet. */
async function assertUnwritten({ world, flow, ann, proxy }: SmallWorld, url: string): Promise<void> {
  const unwritten = async () =>
    (await metric(url, 'millrace_unwritten_permissions{kind="documents"}')) +
    (await metric(url, 'millrace_unwritten_permissions{kind="sets"}'))
  await settles(unwritten, 0)
  // No job runs, so no one reads permissions.
  const age = await metric(url, 'millrace_permission_age_seconds')
  await until(
    () => metric(url, 'millrace_permission_age_seconds'),
    (later) => later > age,
  )
  const release = Promise.withResolvers<void>()
  proxy.on(async ({ path }) => {
    if (path.includes('_bulk') || path.includes('_update')) await release.promise
    return undefined
  })
  await world.wiki.control.setSpacePermissions('OPN', onlyFor(ann))
  const { status } = await world.api.post(`/workflows/${flow.workflowId}/sync-permissions`)
  assert.equal(status, 202)
  await until(unwritten, (count) => count > 0)
  release.resolve()
  proxy.on(() => undefined)
  await settles(unwritten, 0)
}

/** A run of which a worker has read the listing and waits for a page. */
async function holdRun({ world, flow, page }: SmallWorld): Promise<string> {
  await world.wiki.control.editPage(page, { body: `<p>zebrafish held ${Date.now()}</p>` })
  await world.wiki.control.fail({ path: 'body[.-]', isHeld: true, times: null })
  const jobId = await startRun(world, flow)
  await until(
    () => world.wiki.control.faults(),
    (faults) => (faults[0]?.hits ?? 0) > 0,
  )
  await detailsOf(world, jobId)
  return jobId
}

async function retriesOf({ world }: SmallWorld, jobId: string): Promise<number> {
  const { rows } = await withDatabase(world, (db) =>
    sql<{ retries: number }>`select coalesce(max(retry_count), 0)::int as retries
      from pgboss.job where data->>'jobId' = ${jobId}`.execute(db),
  )
  return rows[0]?.retries ?? -1
}

async function probe(url: string, path: string): Promise<[number, string]> {
  const response = await fetch(url + path)
  return [response.status, ((await response.json()) as { status: string }).status]
}

async function metricsOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text()
}

/** Waits for an answer that is younger than this call. */
async function passCache(url: string): Promise<void> {
  const cached = await metricsOf(url)
  await until(
    () => metricsOf(url),
    (text) => text !== cached,
  )
}

/** A metric that is not shown counts as zero. */
async function metric(url: string, name: string): Promise<number> {
  const line = (await metricsOf(url)).split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}
