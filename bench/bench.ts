import { parseArgs } from 'node:util'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { measureEmbedding } from './embedding.ts'
import { machine, saveResult } from './results.ts'
import { runWikiTwice, type WikiRunResult } from './run-wiki.ts'

/**
 * `npm run bench`: pages/s into a real Elasticsearch, processor time, requests and peak memory. The median of several
 * runs, after runs that warm up the engine: it takes eight times as long for its first pages.
 */
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1500' },
    rounds: { type: 'string', default: '5' },
    'warm-up': { type: 'string', default: '5' },
    folders: { type: 'boolean', default: false },
    'without-embedding': { type: 'boolean', default: false },
  },
})
const pages = Number(values.pages)

const engine = await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
process.env.MILLRACE_TEST_SEARCH_URL = engine.url
process.env.MILLRACE_TEST_SEARCH_AUTH = `${engine.adminAuth.username}:${engine.adminAuth.password}`
try {
  const folders = values.folders ? 'some' : 'none'
  const run = { pages, deployment: 'cloud', folders, enginePid: engine.pid } as const
  const all: WikiRunResult[] = []
  for (let round = 0; round < Number(values['warm-up']) + Number(values.rounds); round++) {
    all.push(await runWikiTwice({ ...run, embedding: false }))
    console.log(`run ${round + 1}: ${all.at(-1)?.pages_per_second} pages/s`)
  }
  const measured = all
    .slice(Number(values['warm-up']))
    .toSorted((a, b) => a.pages_per_second - b.pages_per_second)
  const plain = measured[Math.floor(measured.length / 2)]!
  print('without embedding, median', plain)
  const result: Record<string, unknown> = {
    date: new Date().toISOString(),
    machine: machine(),
    pages,
    without_embedding: plain,
    rates: measured.map(({ pages_per_second }) => pages_per_second),
  }
  if (!values['without-embedding']) {
    const embedded = await runWikiTwice({ ...run, embedding: true })
    print('with embedding', embedded)
    const bare = await measureEmbedding()
    console.log(
      `embedding alone: ${bare.ours.toFixed(0)}/s, plain onnxruntime ${bare.bare.toFixed(0)}/s (ratio ${bare.ratio.toFixed(2)})`,
    )
    result.with_embedding = embedded
    result.embedder = bare
  }
  await saveResult('end-to-end.jsonl', result)
} finally {
  await engine.stop()
}
process.exit()

function print(name: string, run: WikiRunResult): void {
  console.log(
    `${name}: ${run.pages_per_second} pages/s, ${run.elements_per_second} elements/s, ${run.requests_per_page} requests/page, ` +
      `${run.connections} connections, peak ${run.peak_mb} MB; second run without changes in ${run.second_run_seconds} s with ${run.second_run_requests_per_page} requests/page`,
  )
  const spent = Object.entries(run.processor_ms_per_page).map(([owner, ms]) => `${owner} ${ms} ms`)
  console.log(`  processor time per page: ${spent.join(', ')}`)
  console.log(
    `  shares of a slice: ${Object.entries(run.shares)
      .map(([stage, share]) => `${stage} ${Math.round(share * 100)} %`)
      .join(', ')}`,
  )
}
