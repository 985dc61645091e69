import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { SLOW_FILES, TIMED_FILES } from '../slow-files.ts'

const FILE_MS = 30 * 60_000
/** Of one test, or of all tests in one `describe`. */
const TEST_MS = 10 * 60_000
const LOWER_PRIORITY = new URL('lower-priority.ts', import.meta.url).href

type Options = {
  root: string
  env: Record<string, string>
  atOnce: number
}
type Counts = Record<'tests' | 'suites' | 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo', number>
type Result = { path: string; seconds: number; success: boolean; counts: Counts }

/**
 * Runs each test file in its own process, the slowest first, and prints its output when it ends. Files that assert
 * durations run one after another with a higher priority. Repeats failures at the end; returns the exit code.
 */
export async function runFiles(paths: string[], { root, env, atOnce }: Options): Promise<number> {
  const began = Date.now()
  const events = new PassThrough({ objectMode: true, highWaterMark: Number.MAX_SAFE_INTEGER })
  const report = events.pipe(new spec())
  report.pipe(process.stdout)
  const results: Result[] = []
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, interrupt)
  const runOne = async (path: string) => {
    if (!stop.signal.aborted) results.push(await runFile(path, { root, env, events, signal: stop.signal }))
  }

  const timed = paths.filter((path) => TIMED_FILES.includes(path))
  const queue = slowestFirst(paths.filter((path) => !TIMED_FILES.includes(path)))
  const work = async (next: () => string | undefined) => {
    for (let path = next(); path; path = next()) await runOne(path)
  }
  const first = () => queue.shift()
  // The last ones only compute, while the first ones wait.
  const last = () => queue.pop()
  await Promise.all([
    work(() => timed.shift()).then(() => work(first)),
    work(last),
    ...Array.from({ length: atOnce - 2 }, () => work(first)),
  ])

  for (const message of summary(results, Date.now() - began))
    events.write({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } })
  events.end()
  await once(report, 'end')
  if (stop.signal.aborted) return 130
  return results.every(({ success }) => success) ? 0 : 1
}

/** Files outside the list keep their order. */
export function slowestFirst(paths: string[]): string[] {
  const place = (path: string) =>
    SLOW_FILES.includes(path) ? SLOW_FILES.indexOf(path) : Number.MAX_SAFE_INTEGER
  return paths.toSorted((a, b) => place(a) - place(b))
}

async function runFile(
  path: string,
  { root, env, events, signal }: Pick<Options, 'root' | 'env'> & { events: PassThrough; signal: AbortSignal },
): Promise<Result> {
  const began = Date.now()
  const result = { path, success: false, counts: zeros() }
  const collected: unknown[] = []
  const stream = run({
    files: [join(root, path)],
    concurrency: 1,
    timeout: TEST_MS,
    // A file may hang after its last test, on a server that it left open.
    signal: AbortSignal.any([signal, AbortSignal.timeout(FILE_MS)]),
    execArgv: TIMED_FILES.includes(path) ? [] : ['--import', LOWER_PRIORITY],
    env: { ...process.env, ...env },
  })
  for await (const event of stream) {
    // Each run prints its own totals; the sum is printed at the end.
    if (event.type === 'test:summary' && event.data.file === undefined) {
      result.success = event.data.success
      result.counts = event.data.counts
    } else if (event.type !== 'test:summary' && !isSumOfRun(event)) collected.push(event)
  }
  for (const event of collected) events.write(event)
  return { ...result, seconds: (Date.now() - began) / 1000 }
}

function isSumOfRun({ type, data }: { type: string; data: unknown }): boolean {
  const { nesting, file } = (data ?? {}) as { nesting?: number; file?: string }
  return (type === 'test:diagnostic' || type === 'test:plan') && nesting === 0 && file === undefined
}

function summary(results: Result[], ms: number): string[] {
  const total = zeros()
  for (const { counts } of results)
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key]
  const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)
  return [
    ...slowest.map(({ path, seconds }) => `${seconds.toFixed(1)} s ${path}${remark(path, seconds)}`),
    ...Object.entries(total).map(([name, count]) => `${name} ${count}`),
    `files ${results.length}`,
    `seconds ${(ms / 1000).toFixed(1)}`,
  ]
}

function remark(path: string, seconds: number): string {
  const isListed = SLOW_FILES.includes(path) || TIMED_FILES.includes(path)
  return isListed || seconds < 30 ? '' : ' (not in test/slow-files.ts)'
}

function zeros(): Counts {
  return { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 }
}
