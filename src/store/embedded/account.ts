import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { AppError } from '../../errors.ts'

/** Whom PostgreSQL runs as. Undefined means: as ourselves, who are not root. */
export type SystemAccount = { name: string; uid: number; gid: number }

// The first that exists. One of our own comes first, because `postgres` may be shared with the system's own
// server and `nobody` with anything.
const preferred = ['millrace', 'postgres', '_postgres', 'nobody']

/**
 * PostgreSQL refuses to run as root, so root has to become somebody; initdb needs that somebody to have a
 * line in /etc/passwd. A cluster that exists keeps the owner it has.
 */
export async function chooseAccount(clusters: string[]): Promise<SystemAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const known = await knownAccounts()
  for (const cluster of clusters) {
    const owner = await stat(cluster).catch(() => undefined)
    const account = owner && known.find(({ uid }) => uid === owner.uid)
    if (account) return account
  }
  const found = preferred.map((name) => known.find((account) => account.name === name)).find(Boolean)
  if (found) return found
  throw new AppError('internal', 'starting the embedded PostgreSQL as root, which it refuses', {
    fix: 'Run as a user that is not root, add a system user named millrace, or set DATABASE_URL.',
  })
}

async function knownAccounts(): Promise<SystemAccount[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  return lines
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0)
}

/** Asked of the operating system rather than read from the mode bits, which know nothing of ACLs. */
export async function canEnter(account: SystemAccount, directory: string): Promise<boolean> {
  const test = await runProgram('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { account })
  return test.code === 0
}

// Nothing of our environment reaches PostgreSQL: a stray PGDATA or PGPORT would change what it does, and
// messages in another language could not be recognised.
export const bareEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export type ProgramResult = { code: number | null; stdout: string; stderr: string }

type RunOptions = {
  account?: SystemAccount
  cwd?: string
  onSpawn?: (pid: number) => void
  signal?: AbortSignal
}

/** Runs a program to its end as the account; a program that cannot be run at all counts as one that failed. */
export function runProgram(
  file: string,
  args: string[],
  { account, cwd = '/', onSpawn, signal }: RunOptions = {},
): Promise<ProgramResult> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    // Its own process group: a terminal's Ctrl-C reaches us alone, and we end it in order.
    const child = spawn(file, args, {
      cwd,
      env: bareEnvironment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(account && { uid: account.uid, gid: account.gid }),
    })
    if (child.pid) onSpawn?.(child.pid)
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const onAbort = () => child.kill('SIGTERM')
    signal?.addEventListener('abort', onAbort, { once: true })
    child.once('error', (error) => resolve({ code: null, stdout, stderr: error.message }))
    child.once('close', (code) => {
      signal?.removeEventListener('abort', onAbort)
      if (signal?.aborted) reject(signal.reason)
      else resolve({ code, stdout, stderr })
    })
  })
}

/** The words a process was started with; none for one that has ended, zombies included. */
export async function programCommandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').filter(Boolean)
  }
  const { stdout } = await runProgram('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  return stdout.split(/\s+/).filter(Boolean)
}

/** A signal to a process that may have ended a moment ago. */
export function sendSignal(pid: number, request: NodeJS.Signals): void {
  try {
    process.kill(pid, request)
  } catch {
    // then there is nothing left to ask of it
  }
}
