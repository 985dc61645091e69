import { spawn } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { provideChromium } from './world/chromium.ts'
import { testServer } from './world/postgres.ts'
import { buildEngine, ELASTICSEARCH_9 } from './world/search-engine/build.ts'
import { startOpenSearch, startSearchEngine } from './world/search-engine/engine.ts'

/**
 * Runs tests. `fast` is what needs no database and no engine; `all` is everything, formatting, lint and types
 * first, with one PostgreSQL and one Elasticsearch for all of it. A path runs that file alone in the same world.
 */
const [what = 'all', ...rest] = process.argv.slice(2)
const root = join(import.meta.dirname, '..')

process.exitCode = await main()

async function main(): Promise<number> {
  if (what === 'fast') return nodeTest(await files('fast'), {})
  if (what === 'all') {
    const checked =
      (await run('biome', ['ci', '--error-on-warnings', '.'])) ||
      (await run('tsc', ['--noEmit'])) ||
      (await run('tsc', ['-p', 'web', '--noEmit']))
    return checked || (await nodeTest(await files('fast'), {})) || inWorld(await files('world'))
  }
  return inWorld([what, ...rest])
}

async function inWorld(paths: string[]): Promise<number> {
  if (await mention(paths, /world\/(browser|page)\.ts/)) {
    // Once, before several files would ask for it at the same time; without one they fail and say why.
    await provideChromium(console.log).catch(({ message }) => console.error(message))
    // The page as it is written now, not as it was at the last installation.
    const failed = await run(process.execPath, ['web/build.ts'])
    if (failed) return failed
  }
  const log = (line: string) => console.log(line)
  const engine = await startSearchEngine({ log })
  const openSearch = (await mention(paths, /search-engine\/clusters\.ts/))
    ? await startOpenSearch({ log })
    : null
  // Fetched before the clock of a test runs; a machine without a JDK for it is told so by the test itself.
  if (await mention(paths, /startElasticsearch9/))
    await buildEngine(ELASTICSEARCH_9, { log, signal: undefined }).catch(({ message }) => log(message))
  try {
    return await nodeTest(paths, {
      ...(openSearch ? { MILLRACE_TEST_OPENSEARCH_URL: openSearch.url } : {}),
      MILLRACE_TEST_PG_URL: await testServer(),
      MILLRACE_TEST_SEARCH_URL: engine.url,
      MILLRACE_TEST_SEARCH_AUTH: `${engine.adminAuth.username}:${engine.adminAuth.password}`,
    })
  } finally {
    await openSearch?.stop()
    if (process.env.MILLRACE_SCREENS) console.log(`pictures of the screens: ${process.env.MILLRACE_SCREENS}`)
    await engine.stop()
  }
}

/** What a test imports tells what it needs. */
async function mention(paths: string[], what: RegExp): Promise<boolean> {
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8').catch(() => '')))
  return texts.some((text) => what.test(text))
}

/** Fast tests stand beside the code; what starts processes is named `.world.test.ts` or lives in test/. */
async function files(kind: 'fast' | 'world'): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob(
    ['src', 'web', 'test', 'demo', 'bench'].map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root },
  )) {
    const world = path.endsWith('.world.test.ts') || /^test\/(journey|contract|world)\//.test(path)
    if (world === (kind === 'world')) found.push(path)
  }
  return found.sort()
}

function nodeTest(paths: string[], env: Record<string, string>): Promise<number> {
  // Two files at a time: there are two cores, and each file brings processes of its own.
  return run(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=240000', ...paths], env)
}

function run(command: string, args: string[], env: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)))
  })
}
