import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type KillsResult, killAtRandom } from '../../test/world/random-kills.ts'
import { startSearchEngine } from '../../test/world/search-engine/engine.ts'
import { machine } from '../results.ts'

/**
 * `node bench/reliability/kills.ts --kills 200 --seed 1 --destination postgres`: random kills in several worlds, half of
 * them with separate workers. Records kills, seeds and failures in bench/reliability/results. A seed repeats the same moments.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    'kills-per-world': { type: 'string', default: '20' },
    'at-once': { type: 'string', default: '2' },
    destination: { type: 'string', default: 'searchindex' },
  },
})
const destination: 'postgres' | 'searchindex' = values.destination === 'postgres' ? 'postgres' : 'searchindex'
const perWorld = Number(values['kills-per-world'])
const worlds = Array.from({ length: Math.ceil(Number(values.kills) / perWorld) }, (_, at) => ({
  ...{ seed: Number(values.seed) + at, workers: at % 2 === 0 ? 0 : 2, destination },
  kills: Math.min(perWorld, Number(values.kills) - at * perWorld),
}))

// An engine that runs already is used, as in tests.
const engine =
  process.env.MILLRACE_TEST_SEARCH_URL || destination === 'postgres'
    ? null
    : await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
if (engine) {
  process.env.MILLRACE_TEST_SEARCH_URL = engine.url
  process.env.MILLRACE_TEST_SEARCH_AUTH = `${engine.adminAuth.username}:${engine.adminAuth.password}`
}
const began = new Date()
const results: KillsResult[] = []
const failures: { seed: number; error: string }[] = []
await Promise.all(Array.from({ length: Number(values['at-once']) }, work))
await engine?.stop()
await save()
process.exit(failures.length > 0 ? 1 : 0)

async function work(): Promise<void> {
  for (let world = worlds.shift(); world; world = worlds.shift()) {
    const { seed } = world
    try {
      const result = await killAtRandom(world)
      results.push(result)
      console.log(`seed ${seed}: ${result.kills.length} kills, ${result.runs} runs, ${result.seconds} s`)
    } catch (error) {
      failures.push({ seed, error: textOf(error) })
      console.error(`seed ${seed}: ${textOf(error)}`)
    }
    // After every world, so that an interrupted run leaves its record.
    await save()
  }
}

async function save(): Promise<void> {
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  const sum = (of: (result: KillsResult) => number) => results.reduce((total, each) => total + of(each), 0)
  const record = {
    date: began.toISOString(),
    machine: machine(),
    destination,
    kills: sum(({ kills }) => kills.length),
    runs: sum(({ runs }) => runs),
    searches: sum(({ searches }) => searches),
    hits: sum(({ hits }) => hits),
    failures,
    worlds: results.toSorted((a, b) => a.seed - b.seed),
  }
  const name = `kills-${began.toISOString().slice(0, 10)}-${destination}-seed-${values.seed}.json`
  await writeFile(join(folder, name), `${JSON.stringify(record, null, 2)}\n`)
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}\n${error.cause.message}` : error.message
}
