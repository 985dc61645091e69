import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BaseLogger } from 'pino'
import { AppError } from '../../errors.ts'
import { canEnter, chooseAccount, type SystemAccount } from './account.ts'

/** The directory of a cluster and the account PostgreSQL runs as. */
export type Home = {
  /** Owned by Millrace; holds `data` (PostgreSQL's), the password, the log and the locks. */
  directory: string
  account: SystemAccount | undefined
}

const noteName = 'postgres-is-elsewhere.txt'

/**
 * The shared directory if PostgreSQL's account cannot enter the data directory. A note fixes the choice: a
 * moved directory must not look like an empty database.
 */
export async function prepareHome(options: {
  dataDir: string
  sharedDir: string
  log: Pick<BaseLogger, 'info'>
}): Promise<Home> {
  const root = process.getuid?.() === 0
  await createDataDirectory(options.dataDir, root ? 0o711 : 0o700)
  const dataDir = await realpath(options.dataDir)
  const ownPath = join(dataDir, 'postgres')
  const sharedPath = join(options.sharedDir, 'clusters', nameFor(dataDir))
  const noted = await readNote(dataDir)

  const account = await chooseAccount(join(noted ?? ownPath, 'data'), options.log)
  if (!account) {
    if (noted) throw belongsToRoot(dataDir, noted)
    return { directory: await createDataDirectory(ownPath, 0o700), account }
  }
  if (!noted && (await canEnter(account, dataDir))) {
    return { directory: await createDataDirectory(ownPath, 0o711), account }
  }
  if (noted ? noted !== sharedPath : await exists(join(ownPath, 'data'))) {
    throw clusterMoved({ dataDir, account, noted, sharedPath })
  }
  await createDataDirectory(options.sharedDir, 0o755)
  await createDataDirectory(join(options.sharedDir, 'clusters'), 0o755)
  await createDataDirectory(sharedPath, 0o711)
  if (!(await canEnter(account, sharedPath))) throw cannotEnter(sharedPath, account)
  if (!noted) {
    options.log.info(
      { dataDir, cluster: sharedPath, user: account.name },
      'placing the database outside the data directory',
    )
    await writeNote(dataDir, sharedPath, account)
  }
  return { directory: sharedPath, account }
}

/** Whether a database exists; creates nothing. */
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
    `The embedded PostgreSQL of this data directory is in the directory named above, because it runs as\n` +
    `the user ${account.name}, who cannot enter this one. Back up both. Millrace reads this file: keep it.\n`
  await writeFile(join(dataDir, noteName), `${cluster}\n\n${why}`, { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error // a second process started at the same moment
    },
  )
  // Names the data directory this cluster belongs to.
  await writeFile(join(cluster, 'data-directory.txt'), `${dataDir}\n`)
}

/** Sets the mode again, because a umask may have removed bits from it. */
export async function createDataDirectory(path: string, mode: number): Promise<string> {
  try {
    if (await createDirectories(path, mode)) await chmod(path, mode)
    return path
  } catch (cause) {
    throw new AppError('internal', `creating the directory ${path}`, {
      cause,
      fix: 'Set MILLRACE_DATA_DIR to a directory that Millrace can create and write to',
    })
  }
}

/** Node's recursive mkdir loops forever in /proc, which returns ENOENT for every new name. */
async function createDirectories(path: string, mode: number): Promise<boolean> {
  if ((await stat(path).catch(() => undefined))?.isDirectory()) return false
  const parent = dirname(path)
  if (parent !== path) await createDirectories(parent, mode)
  return mkdir(path, { mode }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return isDirectory(path, error) // another process created it meanwhile
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
  return new AppError('internal', `opening the database of ${dataDir}, which root created in ${cluster}`, {
    fix: 'Start Millrace as root again, or use another MILLRACE_DATA_DIR.',
  })
}

function clusterMoved(at: {
  dataDir: string
  account: SystemAccount
  noted?: string
  sharedPath: string
}): AppError {
  return at.noted
    ? new AppError(
        'internal',
        `opening the database of ${at.dataDir}, which is in ${at.noted} under the name of another path`,
        {
          fix: `If the data directory was moved, rename ${at.noted} to ${at.sharedPath} and write that name into the first line of ${noteName}; if it is a copy, delete ${noteName}.`,
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

function cannotEnter(directory: string, account: SystemAccount): AppError {
  return new AppError(
    'internal',
    `placing the database in ${directory}, which ${account.name} cannot enter`,
    {
      fix: 'Set MILLRACE_DATA_DIR to a directory whose parents all users may enter, or set DATABASE_URL.',
    },
  )
}
