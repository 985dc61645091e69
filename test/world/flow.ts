import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiResponse } from './api.ts'
import { destinationConfig, type World, wikiConfig } from './world.ts'

export type Details = {
  processing_status: string
  message: string | null
  error: { code: string; subject: { kind: string; id: string; field: string | null } | null } | null
  step_seconds: Record<string, number>
  counts: Record<
    'discovered' | 'new' | 'changed' | 'unchanged' | 'skipped' | 'failed' | 'removed' | 'permissions_only',
    number
  >
  warnings: {
    code: string
    message: string
    documents?: number
    subject: { kind: string; id: string; field: string | null } | null
  }[]
  incomplete: Incomplete | null
  summary: { total_docs: number }
  node_stats: { node_type: string; ready: number; in_progress: number; success: number; failure: number }[]
}
export type Incomplete = {
  documents: number | null
  limits: {
    kind: string
    setting: string | null
    scope: string | null
    left_out: number | null
    noun: string
    source_id: string | null
  }[]
}
export type JobResult = { id: string; status: string; details: Details }
export type Flow = { sourceId: string; destinationId: string; workflowId: string }

/** Partition and chunk without vectors, which most journeys do not need. */
export const PLAIN_NODES = [
  { name: 'Partitioner', type: 'partition', subtype: 'auto', settings: {} },
  { name: 'Chunker', type: 'chunk', subtype: 'chunk_by_title', settings: {} },
]

export type FlowOptions = {
  source?: object
  destination?: object
  workflow?: object
  nodes?: unknown[] | null
  suffix?: string
}

/** A source, a destination and a workflow through the public API. */
export async function makeFlow(
  world: World,
  { source = {}, destination = {}, workflow = {}, nodes = PLAIN_NODES, suffix = '' }: FlowOptions = {},
): Promise<Flow> {
  const sourceId = await created(
    world.api.post('/sources', { name: `wiki${suffix}`, type: 'wiki', config: wikiConfig(world, source) }),
  )
  const destinationId = await created(
    world.api.post('/destinations', {
      name: `index${suffix}`,
      type: world.destination.type,
      config: destinationConfig(world, destination),
    }),
  )
  const workflowId = await created(
    world.api.post('/workflows', {
      name: `flow${suffix}`,
      workflow_type: 'custom',
      source_id: sourceId,
      destination_id: destinationId,
      workflow_nodes: nodes,
      ...workflow,
    }),
  )
  return { sourceId, destinationId, workflowId }
}

async function created(answer: Promise<ApiResponse<unknown>>): Promise<string> {
  const { status, body, text } = await answer
  assert.equal(status, 200, text)
  return (body as { id: string }).id
}

export async function startRun(world: World, flow: Flow): Promise<string> {
  const { status, body, text } = await world.api.post<{ id: string }>(`/workflows/${flow.workflowId}/run`)
  assert.equal(status, 202, text)
  return body.id
}

/** Runs the workflow to its end and checks that the counts always add up. */
export async function run(world: World, flow: Flow): Promise<JobResult> {
  return finish(world, await startRun(world, flow))
}

export async function finish(world: Pick<World, 'api'>, jobId: string, seconds = 300): Promise<JobResult> {
  const end = Date.now() + seconds * 1000
  // Growing delays: polling ten times a second takes a tenth of a core.
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 1.25, 500)) {
    const { status } = await patientGet<{ status: string }>(world, `/jobs/${jobId}`)
    const details = await detailsOf(world, jobId)
    const { counts } = details
    assert.equal(
      counts.discovered,
      counts.new + counts.changed + counts.unchanged + counts.skipped + counts.failed,
    )
    assertNodesAddUp(details)
    if (!['SCHEDULED', 'IN_PROGRESS'].includes(status))
      return { id: jobId, status, details: await detailsOf(world, jobId) }
    assert.ok(Date.now() < end, `job ${jobId} did not end in ${seconds} s: ${JSON.stringify(details)}`)
    await sleep(pauseMs)
  }
}

/** Every node counts the documents that reach it: all that the node before did not fail. */
export function assertNodesAddUp({ node_stats: nodes, summary, counts }: Details): void {
  const sums = nodes.map((node) => node.ready + node.in_progress + node.success + node.failure)
  const shown = JSON.stringify({ nodes, summary, counts })
  assert.equal(sums[0], summary.total_docs, shown)
  // The source also counts documents without text to process, the destination those with new permissions only.
  for (let at = 2; at < nodes.length - 1; at++)
    assert.equal(sums[at], sums[at - 1]! - nodes[at - 1]!.failure, shown)
  for (const { ready, in_progress: working, success, failure } of nodes)
    assert.ok(Math.min(ready, working, success, failure) >= 0, shown)
  const failures = nodes.reduce((sum, { failure }) => sum + failure, 0)
  assert.equal(failures, counts.failed, shown)
}

export async function detailsOf(world: Pick<World, 'api'>, jobId: string): Promise<Details> {
  return patientGet<Details>(world, `/jobs/${jobId}/details`)
}

/** The service asks to try again while it cannot reach its database. */
async function patientGet<T>(world: Pick<World, 'api'>, path: string): Promise<T> {
  for (const end = Date.now() + 60_000; ; await sleep(500)) {
    const answer = await world.api.get<T>(path)
    if (answer.status === 503 && Date.now() < end) continue
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
}

/** Another address or account is refused while a pass reads the source. */
export async function setSource(world: Pick<World, 'api'>, sourceId: string, config: object): Promise<void> {
  await until(
    () => world.api.put(`/sources/${sourceId}`, { config }),
    ({ status }) => status !== 409,
  ).then(({ status, text }) => assert.equal(status, 200, text))
}

/** Waits for an event during a run. */
export async function until<T>(
  what: () => Promise<T>,
  holds: (value: T) => boolean,
  seconds = 120,
): Promise<T> {
  const end = Date.now() + seconds * 1000
  while (true) {
    const value = await what()
    if (holds(value)) return value
    assert.ok(Date.now() < end, `did not happen in ${seconds} s; last: ${JSON.stringify(value)}`)
    await sleep(50)
  }
}
