import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BaseLogger } from 'pino'
import { AppError } from '../../errors.ts'

/** The system user PostgreSQL runs as; undefined means the current user, who is not root. */
export type SystemAccount = { name: string; uid: number; gid: number }

const OWN = 'millrace'
// Only where no account can be created, because other services may use them.
const SHARED = ['postgres', '_postgres', 'nobody']
const FIRST_PERSON = 1000

/** PostgreSQL refuses to run as root, so root gives it an account of its own. A person's cluster stays theirs. */
export async function chooseAccount(
  cluster: string,
  log: Pick<BaseLogger, 'info'>,
): Promise<SystemAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const known = await knownAccounts()
  const found = await stat(cluster).catch(() => undefined)
  const owner = known.find(({ uid }) => uid === found?.uid)
  if (owner && owner.uid >= FIRST_PERSON && !SHARED.includes(owner.name)) return owner
  const own = named(OWN, known) ?? (await createAccount(log))
  if (own && (!owner || (await canEnter(own, dirname(cluster))))) return own
  const shared = owner ?? SHARED.map((name) => named(name, known)).find(Boolean)
  if (shared) return shared
  throw new AppError('internal', 'starting the embedded PostgreSQL, which refuses to run as root', {
    fix: 'Run as a user that is not root, add a system user named millrace, or set DATABASE_URL.',
  })
}

/** Undefined where it is not possible, such as in a container with a read-only root. */
async function createAccount(log: Pick<BaseLogger, 'info'>): Promise<SystemAccount | undefined> {
  const place = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin']
  const { code } = await runProgram('/usr/sbin/useradd', ['--system', '--user-group', ...place, OWN])
  const created = named(OWN, await knownAccounts())
  if (code === 0) log.info({ user: OWN, uid: created?.uid }, 'created the system user of PostgreSQL')
  // Another process may have been faster.
  return created
}

function named(name: string, accounts: SystemAccount[]): SystemAccount | undefined {
  return accounts.find((account) => account.name === name)
}

async function knownAccounts(): Promise<SystemAccount[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  return lines
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0)
}

/** Tries it, because mode bits ignore ACLs. */
export async function canEnter(account: SystemAccount, directory: string): Promise<boolean> {
  const test = await runProgram('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { account })
  return test.code === 0
}

// A stray PGPORT would change what PostgreSQL does; localised messages could not be parsed.
export const cleanEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

type ProgramResult = { code: number | null; stdout: string; stderr: string }

type RunOptions = {
  account?: SystemAccount
  cwd?: string
  onSpawn?: (pid: number) => void
  signal?: AbortSignal
}

/** Runs a program as the account; one that cannot start counts as failed. */
export function runProgram(
  file: string,
  args: string[],
  { account, cwd = '/', onSpawn, signal }: RunOptions = {},
): Promise<ProgramResult> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    // A separate process group: Ctrl-C reaches only Millrace, which stops the program in order.
    const child = spawn(file, args, {
      cwd,
      env: cleanEnvironment,
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

/** The command line of a process; empty if it has ended, even as a zombie. */
export async function programCommandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').filter(Boolean)
  }
  const { stdout } = await runProgram('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  return stdout.split(/\s+/).filter(Boolean)
}

/** Ignores a process that has just ended. */
export function sendSignal(pid: number, request: NodeJS.Signals): void {
  try {
    process.kill(pid, request)
  } catch {
    // it has ended
  }
}
