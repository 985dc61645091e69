import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { type Carried, carryOnce } from './carry.ts'
import { measureEmbedding } from './embedding.ts'

/**
 * `npm run bench`: pages/s from a simulated wiki into a real Elasticsearch on this machine, with and without
 * embedding, and what it costs in requests and memory. Results go beside this file, with date and machine.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1500' },
    'without-embedding': { type: 'boolean', default: false },
  },
})
const pages = Number(values.pages)

const engine = await startSearchEngine({ heapMb: 1024, log: (line) => console.log(line) })
process.env.MILLRACE_TEST_SEARCH_URL = engine.url
process.env.MILLRACE_TEST_SEARCH_AUTH = `${engine.adminAuth.username}:${engine.adminAuth.password}`
try {
  const plain = await carryOnce({ pages, embedding: false })
  print('without embedding', plain)
  const result: Record<string, unknown> = {
    date: new Date().toISOString(),
    machine: machine(),
    pages,
    without_embedding: plain,
  }
  if (!values['without-embedding']) {
    const embedded = await carryOnce({ pages, embedding: true })
    print('with embedding', embedded)
    const bare = await measureEmbedding()
    console.log(
      `embedding alone: ${bare.ours.toFixed(0)}/s of ${bare.bare.toFixed(0)}/s that bare onnxruntime gives (${bare.ratio.toFixed(2)})`,
    )
    result.with_embedding = embedded
    result.embedder = bare
  }
  await keep(result)
} finally {
  await engine.stop()
}
process.exit()

function print(name: string, carried: Carried): void {
  console.log(
    `${name}: ${carried.pages_per_second} pages/s, ${carried.elements_per_second} elements/s, ${carried.requests_per_page} requests/page, ` +
      `${carried.connections} connections, peak ${carried.peak_mb} MB; unchanged again in ${carried.second_run_seconds} s with ${carried.second_run_requests_per_page} requests/page`,
  )
  console.log(
    `  shares of a slice: ${Object.entries(carried.shares)
      .map(([stage, share]) => `${stage} ${Math.round(share * 100)} %`)
      .join(', ')}`,
  )
}

function machine(): object {
  return {
    cpu: cpus()[0]?.model.trim(),
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 1e9),
    node: process.version,
  }
}

async function keep(result: object): Promise<void> {
  const directory = join(import.meta.dirname, 'results')
  await mkdir(directory, { recursive: true })
  const path = join(directory, 'end-to-end.jsonl')
  const before = await readFile(path, 'utf8').catch(() => '')
  await writeFile(path, `${before}${JSON.stringify(result)}\n`)
  console.log(`kept in ${path.slice(path.indexOf('bench/'))}`)
}
