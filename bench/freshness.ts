import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Indexed } from '../test/world/agreement.ts'
import { type Flow, finish, makeFlow, startRun } from '../test/world/flow.ts'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { ALL_PEOPLE, annAndBen, onlyFor } from '../test/world/small-world.ts'
import { openWorld, type World } from '../test/world/world.ts'
import { machine, saveResult } from './results.ts'

/**
 * The time from a revocation in the wiki to "not found", in search and in the index, without other work and next to a
 * content job that embeds every page.
 */
const { values } = parseArgs({
  options: { pages: { type: 'string', default: '1500' }, rounds: { type: 'string', default: '10' } },
})
const pages = Number(values.pages)
const rounds = Number(values.rounds)

type Times = { search: number[]; index: number[] }
type Revocation = { revoke(): Promise<void>; restore(): Promise<void> }

const engine = await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
process.env.MILLRACE_TEST_SEARCH_URL = engine.url
process.env.MILLRACE_TEST_SEARCH_AUTH = `${engine.adminAuth.username}:${engine.adminAuth.password}`
const world = await openWorld({ wiki: { seed: 1, pages, spaces: 10, people: 60, groups: 12 } })
const { control } = world.wiki
const [ann, ben] = await annAndBen(world.wiki)
const open = await control.addSpace({ key: 'OPN', name: 'Open', permissions: ALL_PEOPLE })
const parent = await control.createPage({ space: 'OPN', title: 'Plans', body: '<p>parent</p>' })
const page = await control.createPage({ space: 'OPN', title: 'Zebrafish', body: '<p>zebrafish</p>' })
await control.movePage(page, parent)
const flow = await makeFlow(world, { nodes: null, workflow: { permissions_schedule: 'every 1440 minutes' } })
await finish(world, await startRun(world, flow), 3600)

const restricting = (id: string): Revocation => ({
  revoke: async () => void (await control.restrict(id, { read: { users: [ann] } })),
  restore: async () => void (await control.restrict(id, { read: {} })),
})
const kinds: Record<string, Revocation> = {
  page: restricting(page),
  ancestor: restricting(parent),
  space: {
    revoke: async () => void (await control.setSpacePermissions('OPN', onlyFor(ann))),
    restore: async () => void (await control.setSpacePermissions('OPN', ALL_PEOPLE)),
  },
}

const alone = await measure()
await world.api.put(`/workflows/${flow.workflowId}`, { reprocess_all: true })
let isRunning = true
const content = keepRunning(world, flow)
const besideContent = await measure()
isRunning = false
await content
const result = {
  date: new Date().toISOString(),
  machine: machine(),
  ...{ pages, rounds, homepage: open.homepageId !== '' },
  alone: summaries(alone),
  next_to_content_job: summaries(besideContent),
}
console.log(JSON.stringify(result, null, 1))
await saveResult('freshness.jsonl', result)
await world.close()
await engine.stop()
process.exit()

/** Embeds every page again and again until the measurement ends. */
async function keepRunning(of: World, { workflowId }: Flow): Promise<void> {
  while (isRunning) {
    const job = await startRun(of, { ...flow, workflowId })
    for (let status = ''; !['COMPLETED', 'FAILED', 'STOPPED'].includes(status); await sleep(500)) {
      status = (await of.api.get<{ status: string }>(`/jobs/${job}`)).body.status
      if (!isRunning) await of.api.post(`/jobs/${job}/cancel`)
    }
  }
}

async function measure(): Promise<Record<string, Times>> {
  const times: Record<string, Times> = {}
  for (const [kind, { revoke, restore }] of Object.entries(kinds)) {
    const of: Times = { search: [], index: [] }
    times[kind] = of
    for (let round = 0; round < rounds; round++) {
      await until(async () => await isFound())
      await revoke()
      const startedAt = performance.now()
      const pass = startPass()
      const seconds = () => (performance.now() - startedAt) / 1000
      await Promise.all([
        until(async () => !(await isFound())).then(() => of.search.push(seconds())),
        until(async () => !(await isOpenInIndex())).then(() => of.index.push(seconds())),
      ])
      await finish(world, await pass, 600)
      await restore()
      await finish(world, await startPass(), 600)
    }
  }
  return times
}

/** Waits for a pass that the service has started itself. */
async function startPass(): Promise<string> {
  for (;;) {
    const { status, body } = await world.api.post<{ id: string }>(
      `/workflows/${flow.workflowId}/sync-permissions`,
    )
    if (status === 202) return body.id
    await sleep(100)
  }
}

async function isFound(): Promise<boolean> {
  const answer = await world.api.post<{ hits: { text: string }[] }>(
    `/destinations/${flow.destinationId}/search`,
    { query: 'zebrafish', as: { user: ben }, size: 10 },
  )
  return answer.body.hits.some(({ text }) => text.includes('zebrafish'))
}

/** Whether every clause of the page's elements admits licensed people. */
async function isOpenInIndex(): Promise<boolean> {
  await world.destination.refresh()
  const response = await world.engine.adminFetch(`/${world.index}/_search?q=text:zebrafish&size=10`)
  const { hits } = (await response.json()) as { hits: { hits: Indexed[] } }
  return hits.hits.some(({ _source }) =>
    Object.values(_source.metadata.data_source.access).every((clause) =>
      clause.some((entry) => entry.includes('all-licensed-users')),
    ),
  )
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(100)
}

function summaries(times: Record<string, Times>) {
  return Object.fromEntries(
    Object.entries(times).map(([kind, { search, index }]) => [
      kind,
      { search_seconds: summary(search), index_seconds: summary(index) },
    ]),
  )
}

function summary(seconds: number[]) {
  const sorted = seconds.toSorted((a, b) => a - b)
  const at = (share: number) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2))
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
