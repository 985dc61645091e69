import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { finish, makeFlow, startRun } from '../test/world/flow.ts'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { type Millrace, startMillrace } from '../test/world/service.ts'
import { countStatements } from '../test/world/statement-counter.ts'
import { openWorld } from '../test/world/world.ts'
import { machine, saveResult } from './results.ts'

/** A wiki of some size into an index without embedding: time, memory and statements, for new and unchanged documents. */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '20000' },
    spaces: { type: 'string', default: '10' },
    workers: { type: 'string', default: '1' },
  },
})
const [pages, spaces, workers] = [values.pages, values.spaces, values.workers].map(Number) as [
  number,
  number,
  number,
]

const engine = await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
process.env.MILLRACE_TEST_SEARCH_URL = engine.url
process.env.MILLRACE_TEST_SEARCH_AUTH = `${engine.adminAuth.username}:${engine.adminAuth.password}`
const world = await openWorld({ wiki: { seed: 1, pages, spaces, people: 60, groups: 12 }, role: 'api' })
// Only statements of workers count: the measurement itself asks the API often.
const counter = await countStatements(world.databaseUrl)
const allowedHosts = [world.wiki.siteUrl, world.wiki.mediaUrl, engine.url].map((each) => new URL(each).host)
const processes: Millrace[] = []
for (let worker = 0; worker < workers; worker++)
  processes.push(await startMillrace({ databaseUrl: counter.url, allowedHosts, role: 'worker', env: {} }))
const flow = await makeFlow(world, {
  source: { max_num_of_docs_from_each_space: pages },
  workflow: { permissions_schedule: 'every 1440 minutes' },
})
let peakMb = 0
const memory = setInterval(() => {
  for (const each of processes) peakMb = Math.max(peakMb, residentMb(each.process.pid ?? 0))
}, 1_000)
const first = await measure()
console.log(JSON.stringify(first))
const unchanged = await measure()
clearInterval(memory)
const result = {
  date: new Date().toISOString(),
  machine: machine(),
  ...{ pages, spaces, workers, peak_mb_of_a_process: Math.round(peakMb) },
  ...{ new_documents: first, unchanged_documents: unchanged },
}
console.log(JSON.stringify(result, null, 1))
await saveResult('scale.jsonl', result)
for (const each of processes) await each.end('SIGKILL')
await world.close()
counter.close()
await engine.stop()
process.exit()

async function measure() {
  // The service without a job sends statements too.
  const idleFrom = counter.count()
  await sleep(5_000)
  const idlePerSecond = (counter.count() - idleFrom) / 5
  const before = counter.count()
  const startedAt = performance.now()
  const { details } = await finish(world, await startRun(world, flow), 6 * 3600)
  const seconds = (performance.now() - startedAt) / 1000
  const statements = counter.count() - before - idlePerSecond * seconds
  const documents = details.counts.discovered
  return {
    ...{ status: details.processing_status, documents, seconds: Math.round(seconds) },
    documents_per_second: Math.round(documents / seconds),
    statements_per_document: Number((statements / documents).toFixed(4)),
    idle_statements_per_second: Math.round(idlePerSecond),
  }
}

function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
