import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startVectorServer, type VectorDatabase, vectorDatabase } from '../test/world/pgvector.ts'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import type { Writer } from './destination-writer.ts'
import { machine, saveResult } from './results.ts'

/**
 * `npm run bench:destination`: elements/s as a ratio to the vendor's bulk helper, and for PostgreSQL to one COPY of the
 * same rows into the same table. Each writer has its own process.
 */
const { values } = parseArgs({
  options: {
    elements: { type: 'string', default: '20000' },
    many: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
  },
})

type Written = { elements_per_second: number; peak_mb: number }
const WRITERS = ['index', 'bulk', 'postgres', 'copy'] as const satisfies Writer[]

const engine = await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
// With fsync, because the batches of a destination commit often and a COPY once.
process.env.MILLRACE_TEST_PGVECTOR_URL = await startVectorServer({ isDurable: true })
try {
  const elements = Number(values.elements)
  const runs: Record<Writer, Written[]> = { index: [], bulk: [], postgres: [], copy: [] }
  // The first run warms up the servers.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const writer of WRITERS) {
      const written = await write(writer, elements)
      if (round > 0) runs[writer].push(written)
      console.log(`${writer}: ${written.elements_per_second} elements/s, peak ${written.peak_mb} MB`)
    }
  }
  const [index, bulk, postgres, copy] = WRITERS.map((writer) => median(runs[writer])) as [
    ...[number, number, number, number],
  ]
  const many = {
    index: await write('index', Number(values.many)),
    postgres: await write('postgres', Number(values.many)),
  }
  // Of each round, because other work on the machine slows both writers of a round down.
  const ratio = (ours: Writer, bare: Writer) =>
    middle(runs[ours].map((each, at) => each.elements_per_second / runs[bare][at]!.elements_per_second))
  console.log(`index to bulk ${ratio('index', 'bulk')}; postgres to copy ${ratio('postgres', 'copy')}`)
  await saveResult('destination.jsonl', {
    ...{ date: new Date().toISOString(), machine: machine(), elements },
    ...{ ours_per_second: index, bare_per_second: bulk, ratio: ratio('index', 'bulk') },
    ...{ many: Number(values.many), many_peak_mb: many.index.peak_mb },
    few_peak_mb: runs.index.at(-1)?.peak_mb,
    postgres: {
      ...{ ours_per_second: postgres, copy_per_second: copy, ratio: ratio('postgres', 'copy') },
      ...{ ratio_to_index: ratio('postgres', 'index'), many_peak_mb: many.postgres.peak_mb },
      few_peak_mb: runs.postgres.at(-1)?.peak_mb,
    },
  })
} finally {
  await engine.stop()
}
process.exit()

function write(writer: Writer, elements: number): Promise<Written> {
  return writer === 'index' || writer === 'bulk' ? writeIndex(writer, elements) : writeTable(writer, elements)
}

async function writeIndex(writer: Writer, elements: number): Promise<Written> {
  const index = `bench-${writer}-${Date.now()}`
  await engine.adminFetch(`/${index}`, { method: 'PUT', body: { settings: { number_of_replicas: 0 } } })
  const { encoded } = await engine.createApiKey(index)
  const written = await run({ writer, elements, target: index, url: engine.url }, encoded)
  await engine.adminFetch(`/${index}/_refresh`, { method: 'POST' })
  const { count } = (await (await engine.adminFetch(`/${index}/_count`)).json()) as { count: number }
  assertWritten(writer, { count, elements })
  await engine.adminFetch(`/${index}`, { method: 'DELETE' })
  return written
}

async function writeTable(writer: Writer, elements: number): Promise<Written> {
  const database: VectorDatabase = await vectorDatabase()
  try {
    const written = await run({ writer, elements, target: database.url, url: '' })
    const client = new pg.Client(database.url)
    await client.connect()
    const { rows } = await client.query(
      `select count(*)::int from elements where element_id <> 'millrace_control' and embeddings is not null`,
    )
    await client.end()
    assertWritten(writer, { count: rows[0].count, elements })
    return written
  } finally {
    await database.drop()
  }
}

type Run = { writer: Writer; elements: number; target: string; url: string }

async function run(options: Run, key = ''): Promise<Written> {
  const script = join(import.meta.dirname, 'destination-writer.ts')
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, BENCH_KEY: key },
  })
  let out = ''
  for await (const part of child.stdout) out += part
  return JSON.parse(out) as Written
}

function assertWritten(writer: Writer, { count, elements }: { count: number; elements: number }): void {
  if (count !== elements) throw new Error(`${writer} wrote ${count} of ${elements} elements`)
}

function median(written: Written[]): number {
  return middle(written.map((each) => each.elements_per_second))
}

function middle(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Number((sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(2))
}
