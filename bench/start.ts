import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { memoryOf } from './process-memory.ts'
import { processorSeconds } from './process-tree.ts'
import { machine, saveResult } from './results.ts'

/**
 * `npm run bench:start`: seconds from `npm start` to the first answer, without and with a database and compiled
 * modules, and from `npm run demo` to its first search.
 */
const { values } = parseArgs({
  options: {
    repeat: { type: 'string', default: '5' },
    demo: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '..')
const folder = await mkdtemp(join(tmpdir(), 'millrace-start-'))
// As root, PostgreSQL's own account needs access here.
await chmod(folder, 0o711)
const PORT = 18_311

try {
  const cold = await startOnce()
  print('cold', cold)
  const warm: Start[] = []
  for (let at = 0; at < Number(values.repeat); at++) warm.push(await startOnce())
  const median = medians(warm)
  print('warm (median)', median)
  const demo = values.demo ? await demoOnce() : null
  if (demo) print('demo', demo)
  const result = { ...{ cold, warm: median, demo }, repeat: warm.length }
  if (!values.keep)
    await saveResult('start.jsonl', { date: new Date().toISOString(), machine: machine(), ...result })
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exit()

type Start = {
  /** Modules are loaded and the port is open. */
  healthz_seconds: number
  /** PostgreSQL, migrations and the queue are ready. */
  readyz_seconds: number
  processor_seconds: number
  node_rss: number
}

async function startOnce(): Promise<Start> {
  await mkdir(join(folder, 'cache'), { recursive: true })
  const env = {
    ...process.env,
    PORT: String(PORT),
    MILLRACE_DATA_DIR: join(folder, 'data'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    NODE_COMPILE_CACHE: '',
  }
  const began = performance.now()
  // Its own process group: npm does not pass signals on in every version.
  const child = spawn('npm', ['start', '--silent'], { cwd: root, env, stdio: 'ignore', detached: true })
  const ended = once(child, 'exit')
  const seconds = async (path: string) => {
    while (!(await isOk(path))) await sleep(20)
    return round((performance.now() - began) / 1000)
  }
  const [healthz, readyz] = [await seconds('/healthz'), await seconds('/readyz')]
  const pid = await servicePid()
  const processor = round(processorSeconds(pid))
  const { node_rss } = memoryOf(pid)
  process.kill(pid, 'SIGTERM')
  await ended
  return { healthz_seconds: healthz, readyz_seconds: readyz, processor_seconds: processor, node_rss }
}

async function isOk(path: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${PORT}${path}`).catch(() => null)
  await response?.body?.cancel()
  return response?.status === 200
}

/** The child is npm. */
async function servicePid(): Promise<number> {
  const child = spawn('pgrep', ['-n', '-f', 'heap-growing-percent.*src/main.ts'])
  const lines = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  return Number(lines.value)
}

async function demoOnce(): Promise<Record<string, number>> {
  const began = performance.now()
  const child = spawn(process.execPath, ['demo/demo.ts', '--once'], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const found: Record<string, number> = {}
  const marks = {
    services_seconds: /sample wiki answers/,
    run_seconds: /pages found/,
    search_seconds: /^ {4}"/,
  }
  for await (const line of createInterface(child.stdout))
    for (const [name, pattern] of Object.entries(marks))
      if (pattern.test(line)) found[name] ??= round((performance.now() - began) / 1000)
  return found
}

function medians(starts: Start[]): Start {
  const median = (field: keyof Start) =>
    starts.map((start) => start[field]).sort((a, b) => a - b)[Math.floor(starts.length / 2)] ?? 0
  return {
    healthz_seconds: median('healthz_seconds'),
    readyz_seconds: median('readyz_seconds'),
    processor_seconds: median('processor_seconds'),
    node_rss: median('node_rss'),
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function print(name: string, figures: object): void {
  const texts = Object.entries(figures).map(([key, value]) => `${key} ${value}`)
  console.log(`${name}: ${texts.join(', ')}`)
}
