import { attachOpenSearch, attachSearchEngine, type SearchEngine } from './attach.ts'
import { startOpenSearch, startSearchEngine } from './engine.ts'

const log = (line: string) => void process.stderr.write(`${line}\n`)
let engine: Promise<SearchEngine> | undefined
let openSearch: Promise<SearchEngine> | undefined

/** The engine that all tests share; each test uses its own indexes. */
export function searchEngine(): Promise<SearchEngine> {
  engine ??= running() ?? startSearchEngine({ log })
  return engine
}

/** The same for OpenSearch, which starts only when a test needs it. */
export function openSearchEngine(): Promise<SearchEngine> {
  const url = process.env.MILLRACE_TEST_OPENSEARCH_URL
  openSearch ??= url ? Promise.resolve(attachOpenSearch(url)) : startOpenSearch({ log })
  return openSearch
}

function running(): Promise<SearchEngine> | undefined {
  const url = process.env.MILLRACE_TEST_SEARCH_URL
  if (!url) return undefined
  const [username = '', password = ''] = (process.env.MILLRACE_TEST_SEARCH_AUTH ?? '').split(/:(.*)/s)
  return Promise.resolve(attachSearchEngine(url, { username, password }))
}
