import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { compileCacheFolder } from '../../src/launch.ts'
import { LESS_ARENAS, LESS_MEMORY } from '../../src/node-options.ts'

/** The service as a separate process, as users run it. */
export type Millrace = {
  /** Null for a worker. */
  url: string | null
  /** Where a worker serves probes and metrics. */
  healthUrl: string | null
  process: ChildProcess
  /** Its output so far, by line. */
  lines: string[]
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export const MASTER_KEY = Buffer.alloc(32, 7)
export const TEST_KEY = 'millrace-test-key-0123456789abcdef'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

/** As in `npm start`, without garbage collection below 64 MB, which saves 0.2 s per start. */
export const FLAGS = [...LESS_MEMORY, '--initial-old-space-size=64']

export type ServiceOptions = {
  databaseUrl?: string
  allowedHosts?: string[]
  role?: 'all' | 'api' | 'worker'
  /** Another file than src/main.ts, such as one with more connectors. */
  main?: string
  env?: Record<string, string>
  /** Of Node; by default those of tests. */
  flags?: string[]
  /** The network namespace to run in. */
  namespace?: string
}

type Addresses = { url: string | null; health_url?: string }

export async function startMillrace({
  databaseUrl,
  allowedHosts = [],
  role = 'all',
  main = MAIN,
  env = {},
  flags = FLAGS,
  namespace,
}: ServiceOptions): Promise<Millrace> {
  const dataDir = env.MILLRACE_DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'millrace-data-')))
  const command = [process.execPath, ...flags, main, '--role', role]
  const [program = '', ...args] = namespace ? ['ip', 'netns', 'exec', namespace, ...command] : command
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...LESS_ARENAS,
      NODE_COMPILE_CACHE: compileCacheFolder(),
      ...compileCache(),
      PORT: '0',
      MILLRACE_HEALTH_PORT: '0',
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_MASTER_KEY: MASTER_KEY.toString('base64'),
      MILLRACE_SETUP_API_KEY: TEST_KEY,
      MILLRACE_ALLOWED_HOSTS: allowedHosts.join(','),
      MILLRACE_RATE_LIMIT: '100000',
      MILLRACE_WORKSPACE_RATE_LIMIT: '1000000',
      MILLRACE_DRAIN_SECONDS: '2',
      ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
      ...env,
    },
  })
  const stopGuard = stopWithParent(child)

  const lines: string[] = []
  const { url, health_url: healthUrl = null } = await new Promise<Addresses>((resolve, reject) => {
    const read = (line: string) => {
      lines.push(line)
      if (!line.includes('millrace is ready')) return
      resolve(JSON.parse(line) as Addresses)
    }
    createInterface({ input: child.stdout }).on('line', read)
    createInterface({ input: child.stderr }).on('line', read)
    // Not `exit`: output may still be in the pipe then.
    child.once('close', (code) =>
      reject(new Error(`the service ended with ${code} before it was ready:\n${lines.join('\n')}`)),
    )
  }).catch(async (error) => {
    stopGuard()
    if (!env.MILLRACE_DATA_DIR) await rm(dataDir, { recursive: true, force: true })
    throw error
  })

  return {
    url,
    healthUrl,
    process: child,
    lines,
    async end(signal) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
      child.kill(signal)
      await ended
      stopGuard()
      if (!env.MILLRACE_DATA_DIR) await rm(dataDir, { recursive: true, force: true })
      return child.exitCode
    },
  }
}

/** Where the test runner keeps compiled modules. */
export function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
}

/** Stops the service even if this process is killed: a shell notices the closed pipe. */
function stopWithParent(child: ChildProcess): () => void {
  const shell = spawn('/bin/sh', ['-c', 'cat; kill -TERM "$1"', 'sh', String(child.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  // A pipe; Writable has no unref.
  const pipe = shell.stdin as Socket
  pipe.unref()
  return () => shell.kill('SIGKILL')
}
