import { readFileSync } from 'node:fs'
import pg from 'pg'
import { contents } from '../test/world/agreement.ts'
import { finish, makeFlow, PLAIN_NODES, startRun } from '../test/world/flow.ts'
import { accounts } from '../test/world/wiki/accounts.ts'
import { openWorld, type World } from '../test/world/world.ts'
import { parentOf, processorMs } from './process-tree.ts'
import { type RequestKinds, requestKinds } from './request-kinds.ts'

export type WikiRunResult = {
  pages: number
  elements: number
  seconds: number
  pages_per_second: number
  elements_per_second: number
  requests_per_page: number
  /** Of the wiki's responses, bodies included. */
  wiki_kilobytes_per_page: number
  connections: number
  /** Peak memory of the service process, without database and engine. */
  peak_mb: number
  /** Milliseconds of processor time per page of the first run; the engine only with `enginePid`. */
  processor_ms_per_page: Record<ProcessorOwner, number>
  /** Shares of slice time; slices overlap, so these are not seconds. */
  shares: Record<string, number>
  second_run_seconds: number
  second_run_requests_per_page: number
  /** Of a permission pass over the unchanged wiki. */
  pass_requests_per_page: number
  requests_by_kind: RequestKinds
  second_run_requests_by_kind: RequestKinds
}

export type WikiRunOptions = {
  pages: number
  embedding: boolean
  deployment: 'cloud' | 'data_center'
  /** Added to every response of the wiki. */
  latencyMs?: number
  /** `none`: pages below folders move up to the page above. `all`: every page is below folders, for 300 people. */
  folders?: 'none' | 'some' | 'all'
  /** Roles grant the permissions of spaces. */
  roles?: boolean
  /** Archived pages are read too. */
  archived?: boolean
  enginePid?: number
}

type ProcessorOwner = 'service' | 'engine' | 'postgres'

/** Runs one wiki into an empty index, then once more without changes. */
export async function runWikiTwice({
  pages,
  embedding,
  deployment,
  latencyMs = 0,
  folders = 'some',
  roles = false,
  archived = false,
  enginePid,
}: WikiRunOptions): Promise<WikiRunResult> {
  const world = await openWorld({
    wiki: {
      ...{ seed: 1, pages, spaces: 10, people: folders === 'all' ? 300 : 60, groups: 12, latencyMs },
      ...(folders === 'all' ? { folders: 'ordinary' as const } : {}),
      ...(roles ? { settings: { roleMode: 'ROLES' as const } } : {}),
    },
    env: { LOG_LEVEL: 'debug' },
  })
  try {
    if (folders === 'none') await removeFolders(world)
    const source = {
      ...(deployment === 'cloud' ? {} : dataCenterConfig(world)),
      ...(archived ? { statuses: ['current', 'archived'] } : {}),
    }
    const workflow = { permissions_schedule: 'every 1440 minutes' }
    const flow = await makeFlow(world, { source, workflow, nodes: embedding ? null : PLAIN_NODES })
    await world.wiki.control.resetCounts()
    const meter = await startMeter(world, enginePid)
    const first = await timed(world, flow)
    const spent = meter()
    const firstCounts = await world.wiki.control.counts()
    const firstKinds = await requestKinds(world.wiki)
    const elements = (await contents(world)).length
    await world.wiki.control.resetCounts()
    const second = await timed(world, flow)
    const secondCounts = await world.wiki.control.counts()
    const secondKinds = await requestKinds(world.wiki)
    await world.wiki.control.resetCounts()
    await runPass(world, flow.workflowId)
    const passCounts = await world.wiki.control.counts()
    const { discovered } = first.counts
    return {
      pages: discovered,
      elements,
      seconds: round(first.seconds),
      pages_per_second: round(discovered / first.seconds),
      elements_per_second: round(elements / first.seconds),
      requests_per_page: round(firstCounts.requests / discovered, 3),
      wiki_kilobytes_per_page: round(firstCounts.bytesOut / 1000 / discovered, 2),
      connections: firstCounts.connections,
      peak_mb: Math.round(peakKilobytes(world) / 1000),
      processor_ms_per_page: mapValues(spent, (ms) => round(ms / discovered, 2)),
      shares: shares(world),
      second_run_seconds: round(second.seconds),
      second_run_requests_per_page: round(secondCounts.requests / discovered, 3),
      requests_by_kind: firstKinds,
      pass_requests_per_page: round(passCounts.requests / discovered, 3),
      second_run_requests_by_kind: secondKinds,
    }
  } finally {
    await world.close()
  }
}

async function runPass(world: World, workflowId: string): Promise<void> {
  const { body } = await world.api.post<{ id: string }>(`/workflows/${workflowId}/sync-permissions`)
  const { details } = await finish(world, body.id, 1800)
  if (details.processing_status !== 'SUCCESS')
    throw new Error(`the pass ended with ${JSON.stringify(details)}`)
}

async function removeFolders({ wiki: { control } }: World): Promise<void> {
  const { pages } = await control.truth()
  for (const { id, kind } of pages) if (kind === 'folder') await control.deletePage(id)
}

/** The personal access token of the same account. */
function dataCenterConfig({ wiki }: World): object {
  return { url: wiki.dataCenterUrl, token: accounts.crawler.pat, username: null, cloud: false }
}

async function timed(world: World, flow: Parameters<typeof startRun>[1]) {
  const began = performance.now()
  const ended = await finish(world, await startRun(world, flow), 1800)
  if (ended.details.processing_status !== 'SUCCESS')
    throw new Error(`the run ended with ${JSON.stringify(ended)}`)
  return { seconds: (performance.now() - began) / 1000, counts: ended.details.counts }
}

/** The returned function gives the milliseconds since the start. */
async function startMeter(
  { millrace, databaseUrl }: World,
  enginePid: number | undefined,
): Promise<() => Record<ProcessorOwner, number>> {
  const pids = {
    service: millrace.process.pid ?? 0,
    engine: enginePid ?? 0,
    postgres: await serverPid(databaseUrl),
  }
  const before = mapValues(pids, processorMs)
  return () => mapValues(pids, (pid, owner) => processorMs(pid) - before[owner])
}

async function serverPid(databaseUrl: string): Promise<number> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const pid = parentOf(rows[0].pid)
  await client.end()
  return pid
}

function mapValues<K extends string>(
  values: Record<K, number>,
  change: (value: number, key: K) => number,
): Record<K, number> {
  const entries = Object.entries<number>(values) as [K, number][]
  return Object.fromEntries(entries.map(([key, value]) => [key, change(value, key)])) as Record<K, number>
}

function peakKilobytes(world: World): number {
  const status = readFileSync(`/proc/${world.millrace.process.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)
}

function shares(world: World): Record<string, number> {
  const spent: Record<string, number> = {}
  for (const line of world.millrace.lines) {
    if (!line.includes('"documents done"')) continue
    for (const [stage, ms] of Object.entries((JSON.parse(line) as { spent: Record<string, number> }).spent)) {
      spent[stage] = (spent[stage] ?? 0) + ms
    }
  }
  const all = Object.values(spent).reduce((sum, ms) => sum + ms, 0)
  return Object.fromEntries(Object.entries(spent).map(([stage, ms]) => [stage, round(ms / all, 3)]))
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}
