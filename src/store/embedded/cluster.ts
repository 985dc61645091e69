import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import {
  chown,
  lchown,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BaseLogger } from 'pino'
import { AppError } from '../../errors.ts'
import { programCommandLine, runProgram, type SystemAccount, sendSignal } from './account.ts'
import type { Binaries } from './binaries.ts'
import type { Home } from './home.ts'

type ClusterOptions = { binaries: Binaries; log: Pick<BaseLogger, 'info'>; signal?: AbortSignal | undefined }

/** Millrace itself connects as a role without access to the file system. */
export const superuser = 'postgres'

/** initdb works in a temporary directory, so a kill leaves no half cluster. */
export async function ensureCluster(home: Home, { binaries, log, signal }: ClusterOptions): Promise<void> {
  const data = join(home.directory, 'data')
  await rmdir(data).catch(() => {}) // removes only an empty directory, which counts as absent
  const version = await readVersion(data)
  if (version === undefined) {
    log.info({ directory: data, user: home.account?.name }, 'creating the embedded database')
    await removeLeftovers(home.directory, signal)
    return initialise(home, { binaries, log, signal })
  }
  if (version !== binaries.major) throw otherMajor(home.directory, version, binaries.major)
  // It was restored as root, comes from another machine, or had an account that others use too.
  if (home.account && (await stat(data)).uid !== home.account.uid) await changeOwner(home.account, data)
}

/** PostgreSQL opens only clusters of its own major; a backup moves between them. */
function otherMajor(directory: string, version: string, major: string): AppError {
  const steps = [
    '1. With the release that created it, on this data directory: millrace backup FILE',
    `2. mv ${directory} ${directory}-${version}`,
    '3. With this release: millrace restore FILE',
  ]
  return new AppError(
    'internal',
    `opening the database in ${directory}, created by PostgreSQL ${version || '(unknown)'}, and this release has PostgreSQL ${major}`,
    {
      fix:
        Number(version) < Number(major)
          ? `Nothing was changed. ${steps.join('. ')}`
          : 'Nothing was changed. Start the newest release that has used this directory, or a later one',
    },
  )
}

/** The password of both roles exists only in this file, written before initdb uses it. */
export async function readPassword(home: Home): Promise<string> {
  const path = join(home.directory, 'password')
  const password = await readFile(path, 'utf8').catch((cause) => {
    throw new AppError('internal', `reading the embedded database's password from ${path}`, {
      cause,
      fix: 'Restore the file from a backup; the database needs it.',
    })
  })
  return password.trim()
}

/** Undefined if there is no cluster; any other content must not be overwritten. */
async function readVersion(data: string): Promise<string | undefined> {
  try {
    return (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
  } catch (cause) {
    const entries = await readdir(data).catch((error: NodeJS.ErrnoException) => error)
    if (entries instanceof Error && entries.code === 'ENOENT') return undefined
    throw new AppError(
      'internal',
      `opening the database in ${data}, which is not a complete PostgreSQL cluster`,
      {
        cause,
        fix: `If it belongs to another user, start Millrace as that user; otherwise restore it from a backup, or move it away to start with an empty database.`,
      },
    )
  }
}

/** Stops an initdb whose parent was killed, then deletes its files. */
async function removeLeftovers(directory: string, signal?: AbortSignal): Promise<void> {
  const left = (await readdir(directory)).filter((name) => name.startsWith('data.init-'))
  for (const name of left.filter((name) => name.endsWith('.pid'))) {
    const pid = Number(await readFile(join(directory, name), 'utf8'))
    const isOrphan = async () =>
      (await programCommandLine(pid)).some((word) => word.includes(name.replace('.pid', '')))
    if (pid > 1 && (await isOrphan())) sendSignal(pid, 'SIGTERM')
    while (pid > 1 && (await isOrphan())) await sleep(20, undefined, { signal })
  }
  for (const name of left) await rm(join(directory, name), { recursive: true, force: true, maxRetries: 5 })
}

async function initialise(home: Home, { binaries, signal }: ClusterOptions): Promise<void> {
  const { directory, account } = home
  const password = randomBytes(32).toString('hex')
  await writeDurably(join(directory, 'password'), password)

  const temporary = join(directory, `data.init-${randomBytes(6).toString('hex')}`)
  const passwordFile = `${temporary}.password` // initdb reads it as the account, which cannot read ours
  try {
    await mkdir(temporary, { mode: 0o700 })
    await writeFile(passwordFile, password, { mode: 0o600 })
    if (account) {
      await chown(temporary, account.uid, account.gid)
      await chown(passwordFile, account.uid, account.gid)
    }
    const args = [
      `--pgdata=${temporary}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      ...initdbOptions,
    ]
    const { code, stderr } = await runProgram(join(binaries.directory, 'bin', 'initdb'), args, {
      account,
      cwd: directory,
      onSpawn: (pid) => writeFileSync(`${temporary}.pid`, String(pid)),
      signal,
    })
    if (code !== 0) throw initFailed(directory, stderr)
    await rename(temporary, join(directory, 'data'))
    await syncDirectory(directory)
  } finally {
    await rm(passwordFile, { force: true })
    await rm(`${temporary}.pid`, { force: true })
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 })
  }
}

// Sorts by code point everywhere; libc and ICU orders vary by version and would corrupt indexes of a moved
// cluster.
const initdbOptions = [
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
]

function initFailed(directory: string, stderr: string): AppError {
  const reason = /initdb: (?:error: )?(.*)/.exec(stderr)?.[1] ?? 'initdb failed'
  const unknownUser = stderr.includes('could not look up effective user ID')
  return new AppError('internal', `creating the embedded database in ${directory}: ${reason}`, {
    fix: unknownUser
      ? 'PostgreSQL needs a user with a line in /etc/passwd. Run Millrace as such a user, or set DATABASE_URL.'
      : 'Check that the disk has space and the directory is writable, or set DATABASE_URL.',
  })
}

async function writeDurably(path: string, text: string): Promise<void> {
  const partial = `${path}.partial`
  const file = await open(partial, 'w', 0o600)
  try {
    await file.writeFile(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(partial, path)
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  await directory.sync().finally(() => directory.close())
}

/** The directory itself last, so that an interrupted change is done again. */
async function changeOwner(account: SystemAccount, path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) await changeOwner(account, inner)
    else await lchown(inner, account.uid, account.gid)
  }
  await lchown(path, account.uid, account.gid)
}
