import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { keep, machine } from './results.ts'

/**
 * `npm run bench:destination`: elements/s into a real Elasticsearch, as a ratio to the vendor's bulk helper with the
 * same documents, and peak memory for 100,000 elements. Each writer runs in its own process, in turns.
 */
const { values } = parseArgs({
  options: {
    elements: { type: 'string', default: '20000' },
    many: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
  },
})

type Written = { elements_per_second: number; peak_mb: number }
type Writer = 'ours' | 'bare'

const engine = await startSearchEngine({ heapMb: 1024, log: (line) => console.log(line) })
try {
  const elements = Number(values.elements)
  const runs: Record<Writer, Written[]> = { ours: [], bare: [] }
  // The first run of each warms up the engine and is not counted.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const writer of ['ours', 'bare'] as const) {
      const written = await write(writer, elements)
      if (round > 0) runs[writer].push(written)
      console.log(`${writer}: ${written.elements_per_second} elements/s, peak ${written.peak_mb} MB`)
    }
  }
  const [ours, bare] = [median(runs.ours), median(runs.bare)]
  const many = await write('ours', Number(values.many))
  console.log(`ratio ${(ours / bare).toFixed(2)}; ${values.many} elements: peak ${many.peak_mb} MB`)
  await keep('destination.jsonl', {
    ...{ date: new Date().toISOString(), machine: machine(), elements },
    ...{ ours_per_second: ours, bare_per_second: bare, ratio: Number((ours / bare).toFixed(2)) },
    ...{ many: Number(values.many), many_peak_mb: many.peak_mb, few_peak_mb: runs.ours.at(-1)?.peak_mb },
  })
} finally {
  await engine.stop()
}
process.exit()

async function write(writer: Writer, elements: number): Promise<Written> {
  const index = `bench-${writer}-${Date.now()}`
  await engine.adminFetch(`/${index}`, { method: 'PUT', body: { settings: { number_of_replicas: 0 } } })
  const { encoded } = await engine.createApiKey(index)
  const script = join(import.meta.dirname, 'destination-writer.ts')
  const child = spawn(
    process.execPath,
    [script, JSON.stringify({ writer, elements, index, url: engine.url })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, BENCH_KEY: encoded },
    },
  )
  let out = ''
  for await (const part of child.stdout) out += part
  await engine.adminFetch(`/${index}/_refresh`, { method: 'POST' })
  const { count } = (await (await engine.adminFetch(`/${index}/_count`)).json()) as { count: number }
  if (count !== elements) throw new Error(`${writer} wrote ${count} of ${elements} elements`)
  await engine.adminFetch(`/${index}`, { method: 'DELETE' })
  return JSON.parse(out) as Written
}

function median(written: Written[]): number {
  const sorted = written.map((each) => each.elements_per_second).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
