import { spawn } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { provideChromium } from './world/chromium.ts'
import { migratedTemplate } from './world/migrated-template.ts'
import { vectorServer } from './world/pgvector.ts'
import { testServer } from './world/postgres.ts'
import { runFiles } from './world/run-files.ts'
import { buildEngine, ELASTICSEARCH_9 } from './world/search-engine/build.ts'
import { startOpenSearch, startSearchEngine } from './world/search-engine/engine.ts'
import { FLAGS } from './world/service.ts'

/**
 * Runs tests: `fast` needs no database and no engine; `all` is formatting, lint, types and every test, with one
 * PostgreSQL, one with pgvector, one Elasticsearch and one OpenSearch. A path runs that file alone with the same services.
 */
const [what = 'all', ...rest] = process.argv.slice(2)
const root = join(import.meta.dirname, '..')
const log = (line: string) => console.log(line)

// With compiled modules the service starts in 1.2 s of processor time instead of 2 s.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compiled')

/** The modules of the service, with those that it loads for a job. */
const SERVICE = [
  './src/run-millrace.ts',
  './src/connectors/registry.ts',
  './src/connectors/wiki/source.ts',
  './src/connectors/searchindex/destination.ts',
  './src/connectors/postgres/destination.ts',
  './src/pipeline/embed/embedder.ts',
  './src/connectors/sample/source.ts',
]

process.exitCode = await main()

async function main(): Promise<number> {
  if (what === 'fast') return nodeTest(await files('fast'), {})
  if (what === 'all') return withServices([...(await files('world')), ...(await files('fast'))], checks)
  return withServices([what, ...rest], async () => 0)
}

/** Formatting, lint and types. */
async function checks(): Promise<number> {
  return worst([
    run('biome', ['ci', '--error-on-warnings', '.']),
    run('tsc', ['--noEmit']),
    run('tsc', ['-p', 'web', '--noEmit']),
  ])
}

/** Runs the checks while the services start, then the tests. */
async function withServices(paths: string[], check: () => Promise<number>): Promise<number> {
  const needsOpenSearch = await mention(paths, /search-engine\/clusters\.ts/)
  const needsVectors = await mention(paths, /pgvector\.ts|destination: 'postgres'/)
  const template = migratedTemplate()
  const engine = startSearchEngine({ log })
  const openSearch = needsOpenSearch ? startOpenSearch({ log }) : Promise.resolve(null)
  try {
    const [failed, { url, adminAuth }, other, postgresUrl, vectorUrl, { name }] = await Promise.all([
      worst([check(), prepare(paths), compileService()]),
      engine,
      openSearch,
      testServer(),
      needsVectors ? vectorServer() : null,
      template,
    ])
    if (failed) return failed
    return await nodeTest(paths, {
      ...(other ? { MILLRACE_TEST_OPENSEARCH_URL: other.url } : {}),
      ...(vectorUrl ? { MILLRACE_TEST_PGVECTOR_URL: vectorUrl } : {}),
      MILLRACE_TEST_PG_URL: postgresUrl,
      MILLRACE_TEST_PG_TEMPLATE: name,
      MILLRACE_TEST_SEARCH_URL: url,
      MILLRACE_TEST_SEARCH_AUTH: `${adminAuth.username}:${adminAuth.password}`,
    })
  } finally {
    const started = await Promise.allSettled([engine, openSearch])
    await template.then(({ drop }) => drop()).catch(() => {})
    await Promise.all(started.map((each) => (each.status === 'fulfilled' ? each.value?.stop() : null)))
    if (process.env.MILLRACE_SCREENS) log(`pictures of the screens: ${process.env.MILLRACE_SCREENS}`)
  }
}

/** Fetched or built once, because several files need it at the same time. */
async function prepare(paths: string[]): Promise<number> {
  // Without a JDK the test itself reports it.
  if (await mention(paths, /startElasticsearch9/))
    await buildEngine(ELASTICSEARCH_9, { log, signal: undefined }).catch(({ message }) => log(message))
  if (!(await mention(paths, /world\/(browser|page)\.ts/))) return 0
  await provideChromium(log).catch(({ message }) => console.error(message))
  // Builds the page from the current sources.
  return run(process.execPath, ['web/build.ts'])
}

/** Fills the compile cache: tests kill most services, and a killed process writes none. */
function compileService(): Promise<number> {
  return run(process.execPath, [
    ...FLAGS,
    '--input-type=module',
    '-e',
    `for (const path of ${JSON.stringify(SERVICE)}) await import(path); process.exit()`,
  ])
}

async function worst(codes: Promise<number>[]): Promise<number> {
  return Math.max(...(await Promise.all(codes)))
}

/** Whether a file imports something. */
async function mention(paths: string[], what: RegExp): Promise<boolean> {
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8').catch(() => '')))
  return texts.some((text) => what.test(text))
}

/** Fast tests are next to the code; tests that start processes are named `.world.test.ts` or are in test/. */
async function files(kind: 'fast' | 'world'): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob(
    ['src', 'web', 'test', 'demo', 'bench', 'packages'].map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root },
  )) {
    const world = path.endsWith('.world.test.ts') || /^test\/(journey|contract|world)\//.test(path)
    if (world === (kind === 'world')) found.push(path)
  }
  return found.sort()
}

/** More files at a time than cores: most of them wait more than half of the time. */
function nodeTest(paths: string[], env: Record<string, string>): Promise<number> {
  return runFiles(paths, { root, env, atOnce: availableParallelism() * 2 })
}

/** The exit code; the output comes in one piece at the end. */
function run(command: string, args: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.stdout.write(Buffer.concat(output))
      resolve(code ?? (signal ? 1 : 0))
    })
  })
}
