import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { cleanEnvironment, programCommandLine, sendSignal } from './account.ts'
import type { Binaries } from './binaries.ts'
import type { Home } from './home.ts'
import { openLog, type ServerLog } from './log.ts'

export type RunningServer = {
  pid: number
  port: number
  /** Settles when the server ends; keeps no process alive. */
  ended: Promise<void>
}

const pollMs = 15

/** Finds a server of another, perhaps killed, process and waits until it accepts connections. */
export async function findRunning(home: Home, signal?: AbortSignal): Promise<RunningServer | undefined> {
  const data = join(home.directory, 'data')
  for (;;) {
    const pidFile = await readPidFile(data)
    if (!pidFile) return undefined
    if (!(await isServerOf(pidFile.pid, data))) {
      // After a crash the pid may belong to another process, and PostgreSQL would refuse to start.
      await rm(join(data, 'postmaster.pid'), { force: true })
      return undefined
    }
    if (pidFile.ready) return { pid: pidFile.pid, port: pidFile.port, ended: waitForExit(pidFile.pid, data) }
    await sleep(pollMs, undefined, { signal }) // starting, recovering or stopping
  }
}

/** Retries if the port was taken meanwhile or children of a dead server remain. */
export async function startServer(
  home: Home,
  { binaries, settings }: { binaries: Binaries; settings: Record<string, string> },
  signal?: AbortSignal,
): Promise<RunningServer> {
  const giveUpAt = Date.now() + 20_000
  for (;;) {
    const log = await openLog(home.directory)
    const port = await freePort()
    const child = spawnServer(home, {
      binaries,
      settings: { ...settings, port: String(port) },
      log: log.file.fd,
    })
    await log.file.close()
    const ended = once(child, 'exit').then(
      () => {},
      () => {}, // waitUntilReady reports a failed start
    )
    const output = await waitUntilReady(child, { home, log, signal })
    if (output === undefined) return { pid: child.pid!, port, ended }
    const isTemporary = /could not create any TCP\/IP sockets|pre-existing shared memory block/.test(output)
    if (!isTemporary || Date.now() > giveUpAt) throw startFailed(home, output)
    await sleep(100, undefined, { signal })
  }
}

/** A fast shutdown, then an immediate one, which only replays the log at the next start. */
export async function stopServer(home: Home, pid: number): Promise<void> {
  const data = join(home.directory, 'data')
  for (const [request, timeoutMs] of [
    ['SIGINT', 60_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 5_000],
  ] as const) {
    const deadline = Date.now() + timeoutMs
    if (await isServerOf(pid, data)) sendSignal(pid, request)
    while (Date.now() < deadline) {
      if (!(await isServerOf(pid, data))) return
      await sleep(pollMs)
    }
  }
}

// A server that is not our child sends no exit event.
const WATCH_MS = 1_000

async function waitForExit(pid: number, data: string): Promise<void> {
  while (await isServerOf(pid, data)) await sleep(WATCH_MS, undefined, { ref: false })
}

/** The same without waiting, for a process that is exiting. */
export function requestStop(home: Home, pid: number): void {
  const pidFile = join(home.directory, 'data', 'postmaster.pid')
  if (existsSync(pidFile) && Number.parseInt(readFileSync(pidFile, 'utf8'), 10) === pid)
    sendSignal(pid, 'SIGINT')
}

/** Lines: pid, data directory, start time, port, socket directory, address, memory key, status. */
async function readPidFile(data: string): Promise<{ pid: number; port: number; ready: boolean } | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const lines = text.split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

/** By its command line, because the working directory needs CAP_SYS_PTRACE, which containers lack. */
async function isServerOf(pid: number, data: string): Promise<boolean> {
  if (!(pid > 1)) return false
  const words = await programCommandLine(pid)
  const at = words.indexOf('-D')
  if (at < 1 || !words[0]?.endsWith('postgres')) return false
  const [theirs, ours] = await Promise.all(
    [words[at + 1] ?? '', data].map((path) => stat(path).catch(() => undefined)),
  )
  return theirs !== undefined && theirs.ino === ours?.ino && theirs.dev === ours.dev
}

function spawnServer(
  { directory, account }: Home,
  { binaries, settings, log }: { binaries: Binaries; settings: Record<string, string>; log: number },
): ChildProcess {
  const data = join(directory, 'data')
  const options = Object.entries({ ...fixedSettings, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const child = spawn(join(binaries.directory, 'bin', 'postgres'), ['-D', data, ...options], {
    cwd: data,
    env: cleanEnvironment,
    // A separate session: Ctrl-C reaches only Millrace, which stops the server itself.
    detached: true,
    stdio: ['ignore', log, log],
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  child.unref()
  return child
}

const fixedSettings = {
  // TCP, because a socket path is limited to 107 bytes.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Every backend maps them; the cache of the system holds the rest.
  shared_buffers: '64MB',
  // By default each of three workers takes up to 64 MB.
  autovacuum_work_mem: '16MB',
  // Queries take milliseconds.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The caller reports failed statements; logging them would write people's data to a file.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
}

/** Undefined once ready, else the server's output. */
async function waitUntilReady(
  child: ChildProcess,
  { home, log, signal }: { home: Home; log: ServerLog; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const data = join(home.directory, 'data')
  let failure: string | undefined
  child.once('error', (error) => {
    failure = error.message
  })
  for (;;) {
    if (failure !== undefined) return failure
    if (child.exitCode !== null || child.signalCode !== null) {
      return (await readFile(log.path, 'utf8')).slice(log.start)
    }
    const pidFile = await readPidFile(data)
    if (pidFile?.ready && pidFile.pid === child.pid) return undefined
    await sleep(pollMs)
    if (signal?.aborted) {
      if (child.pid) await stopServer(home, child.pid)
      throw signal.reason
    }
  }
}

function startFailed(home: Home, output: string): AppError {
  const lines = output.trim().split('\n')
  const reason =
    /(?:FATAL|PANIC): +(.*)/.exec(output)?.[1] ??
    lines.find((line) => line.startsWith('postgres: ')) ??
    lines.at(-1)
  return new AppError('internal', `starting the embedded PostgreSQL in ${home.directory}: ${reason}`, {
    fix: `See ${join(home.directory, 'postgres.log')}. Restore the directory from a backup, or set DATABASE_URL.`,
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
