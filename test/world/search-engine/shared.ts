import { attachSearchEngine, type SearchEngine } from './attach.ts'
import { startSearchEngine } from './engine.ts'

let engine: Promise<SearchEngine> | undefined

/**
 * The engine that tests share: the test runner's, where it started one for all files, else one of this process's
 * own that ends with it. Nobody stops it; each test works in indexes of its own.
 */
export function searchEngine(): Promise<SearchEngine> {
  engine ??= running() ?? startSearchEngine({ log: (line) => process.stderr.write(`${line}\n`) })
  return engine
}

function running(): Promise<SearchEngine> | undefined {
  const url = process.env.MILLRACE_TEST_SEARCH_URL
  if (!url) return undefined
  const [username = '', password = ''] = (process.env.MILLRACE_TEST_SEARCH_AUTH ?? '').split(/:(.*)/s)
  return Promise.resolve(attachSearchEngine(url, { username, password }))
}
