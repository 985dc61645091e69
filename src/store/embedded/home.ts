import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BaseLogger } from 'pino'
import { AppError } from '../../errors.ts'
import { canEnter, chooseAccount, type SystemAccount } from './account.ts'

/** Where a data directory's cluster lives, and whom PostgreSQL runs as there. */
export type Home = {
  /** Ours; holds `data` (PostgreSQL's), the password, the log and the locks. */
  directory: string
  account: SystemAccount | undefined
}

const noteName = 'postgres-is-elsewhere.txt'

/**
 * Normally `postgres` inside the data directory. Root's data directory may lie where the account that
 * PostgreSQL runs as cannot go (under /root, say); then the cluster lies in the shared directory under a name
 * made from the data directory's path, and a note in the data directory says so. The note also holds us to
 * that choice: a directory that becomes reachable later, or is moved, must not look like an empty database.
 */
export async function settleHome(options: {
  dataDir: string
  sharedDir: string
  log: Pick<BaseLogger, 'info'>
}): Promise<Home> {
  const root = process.getuid?.() === 0
  await makeDirectory(options.dataDir, root ? 0o711 : 0o700)
  const dataDir = await realpath(options.dataDir)
  const inside = join(dataDir, 'postgres')
  const outside = join(options.sharedDir, 'clusters', nameFor(dataDir))
  const noted = await readNote(dataDir)

  const account = await chooseAccount([join(noted ?? inside, 'data')])
  if (!account) {
    if (noted) throw belongsToRoot(dataDir, noted)
    return { directory: await makeDirectory(inside, 0o700), account }
  }
  if (!noted && (await canEnter(account, dataDir))) {
    return { directory: await makeDirectory(inside, 0o711), account }
  }
  if (noted ? noted !== outside : await exists(join(inside, 'data'))) {
    throw wentAstray({ dataDir, account, noted, outside })
  }
  await makeDirectory(options.sharedDir, 0o755)
  await makeDirectory(join(options.sharedDir, 'clusters'), 0o755)
  await makeDirectory(outside, 0o711)
  if (!(await canEnter(account, outside))) throw unreachable(outside, account)
  if (!noted) {
    options.log.info({ dataDir, cluster: outside, user: account.name }, 'placing the database elsewhere')
    await writeNote(dataDir, outside, account)
  }
  return { directory: outside, account }
}

/** Whether a database was ever made for this data directory; looking makes none. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await readNote(dataDir)) !== undefined || exists(join(dataDir, 'postgres', 'data'))
}

function nameFor(dataDir: string): string {
  return createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
}

async function readNote(dataDir: string): Promise<string | undefined> {
  const note = await readFile(join(dataDir, noteName), 'utf8').catch(() => undefined)
  return note?.split('\n')[0]
}

async function writeNote(dataDir: string, cluster: string, account: SystemAccount): Promise<void> {
  const why =
    `The embedded PostgreSQL of this data directory lies in the directory named above, because it runs as\n` +
    `the user ${account.name}, who cannot enter this one. Back up both. Millrace reads this file: keep it.\n`
  await writeFile(join(dataDir, noteName), `${cluster}\n\n${why}`, { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error // a second process started at the same moment
    },
  )
  // Whoever finds the cluster first should see whose it is.
  await writeFile(join(cluster, 'data-directory.txt'), `${dataDir}\n`)
}

/** A umask takes bits away from what mkdir asks for, so the mode of what we made is set once more. */
export async function makeDirectory(path: string, mode: number): Promise<string> {
  try {
    if (await makeEach(path, mode)) await chmod(path, mode)
    return path
  } catch (cause) {
    throw new AppError('internal', `making the directory ${path}`, {
      cause,
      fix: 'Set MILLRACE_DATA_DIR to a directory that can be made and written to',
    })
  }
}

/**
 * True where it was not there yet. Node's own recursive mkdir never ends in a directory that says "no such file" to
 * every new name, as /proc does: it goes up to the parent, finds it there, comes back and asks again.
 */
async function makeEach(path: string, mode: number): Promise<boolean> {
  if ((await stat(path).catch(() => undefined))?.isDirectory()) return false
  const parent = dirname(path)
  if (parent !== path) await makeEach(parent, mode)
  return mkdir(path, { mode }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return isDirectory(path, error) // another process made it in between
      throw error
    },
  )
}

async function isDirectory(path: string, error: Error): Promise<false> {
  if ((await stat(path)).isDirectory()) return false
  throw error
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function belongsToRoot(dataDir: string, cluster: string): AppError {
  return new AppError(
    'internal',
    `opening the database of ${dataDir}, which was made by root in ${cluster}`,
    {
      fix: 'Start Millrace as root again, or use another MILLRACE_DATA_DIR.',
    },
  )
}

function wentAstray(at: {
  dataDir: string
  account: SystemAccount
  noted?: string
  outside: string
}): AppError {
  return at.noted
    ? new AppError(
        'internal',
        `opening the database of ${at.dataDir}, which lies in ${at.noted} under another path's name`,
        {
          fix: `If the data directory was moved, rename ${at.noted} to ${at.outside} and write that name into the first line of ${noteName}; if it is a copy, delete ${noteName}.`,
        },
      )
    : new AppError(
        'internal',
        `opening the database in ${at.dataDir}, which ${at.account.name} can no longer enter`,
        {
          fix: `PostgreSQL runs as ${at.account.name}: give every directory above ${at.dataDir} its x bit back (chmod o+x).`,
        },
      )
}

function unreachable(directory: string, account: SystemAccount): AppError {
  return new AppError(
    'internal',
    `placing the database in ${directory}, which ${account.name} cannot enter`,
    {
      fix: 'Set MILLRACE_DATA_DIR to a directory whose parents everybody may enter, or set DATABASE_URL.',
    },
  )
}
