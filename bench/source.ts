import { parseArgs } from 'node:util'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { printKinds } from './request-kinds.ts'
import { machine, saveResult } from './results.ts'
import { runWikiTwice, type WikiRunOptions, type WikiRunResult } from './run-wiki.ts'

/**
 * `npm run bench:source`: requests and memory of the wiki source, at two sizes and latencies.
 * `--requests` measures only the requests by kind: without folders, with some, with all pages below folders, with roles
 * and with archived pages.
 */
const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '1500' },
    large: { type: 'string', default: '15000' },
    requests: { type: 'boolean', default: false },
  },
})
const [small, large] = [Number(values.small), Number(values.large)]
const LATENCY_MS = 20

const engine = await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
process.env.MILLRACE_TEST_SEARCH_URL = engine.url
process.env.MILLRACE_TEST_SEARCH_AUTH = `${engine.adminAuth.username}:${engine.adminAuth.password}`
try {
  const result: Record<string, unknown> = { date: new Date().toISOString(), machine: machine() }
  for (const deployment of ['cloud', 'data_center'] as const) {
    const runWith = (settings: Partial<WikiRunOptions>) => measured({ deployment, pages: small, ...settings })
    const flat = await runWith({ folders: 'none' })
    printKinds(flat.requests_by_kind, flat.second_run_requests_by_kind)
    const near = await runWith({})
    printKinds(near.requests_by_kind, near.second_run_requests_by_kind)
    const kinds = {
      without_folders: flat,
      small: near,
      archived: await runWith({ archived: true }),
      // Data Center has neither folders nor roles.
      ...(deployment === 'cloud'
        ? { all_below_folders: await runWith({ folders: 'all' }), roles: await runWith({ roles: true }) }
        : {}),
    }
    if (values.requests) {
      result[deployment] = kinds
      continue
    }
    const far = await runWith({ latencyMs: LATENCY_MS })
    const many = await runWith({ pages: large })
    const ratios = {
      peak_memory_large_to_small: ratio(many.peak_mb, near.peak_mb),
      speed_at_20_ms_to_0_ms: ratio(far.pages_per_second, near.pages_per_second),
    }
    console.log(`${deployment}: ${JSON.stringify(ratios)}`)
    result[deployment] = { ...kinds, small_at_20_ms: far, large: many, ...ratios }
  }
  await saveResult('source.jsonl', result)
} finally {
  await engine.stop()
}
process.exit()

async function measured(settings: Omit<WikiRunOptions, 'embedding'>): Promise<WikiRunResult> {
  const run = await runWikiTwice({ ...settings, embedding: false })
  const { pages_per_second, requests_per_page, second_run_requests_per_page, peak_mb } = run
  const kilobytes = run.wiki_kilobytes_per_page
  console.log(
    `${settings.deployment}, ${run.pages} pages, ${JSON.stringify({ ...settings, deployment: undefined })}: ` +
      `${pages_per_second} pages/s, ${requests_per_page} requests/page, ${kilobytes} KB/page, ` +
      `unchanged ${second_run_requests_per_page}, pass ${run.pass_requests_per_page}, peak ${peak_mb} MB`,
  )
  return run
}

function ratio(a: number, b: number): number {
  return Number((a / b).toFixed(3))
}
