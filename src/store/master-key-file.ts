import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'
import { parseMasterKeys } from './master-key-list.ts'
import { KEY_BYTES, type MasterKey } from './vault.ts'

/** The operator's keys, else those in the data directory, where the first start creates one. */
export async function loadMasterKeys(
  dataDir: string,
  fromEnvironment: MasterKey[] | null,
): Promise<MasterKey[]> {
  if (fromEnvironment) return fromEnvironment
  const path = masterKeyFile(dataDir)
  try {
    return (await readKeys(path)) ?? (await createKey(path))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('secret_unreadable', `reading the master key ${path}`, {
      cause,
      fix: 'Make its directory writable, or set MILLRACE_MASTER_KEY',
    })
  }
}

/** For commands, which must not create a key. */
export async function loadExistingKeys(
  dataDir: string,
  fromEnvironment: MasterKey[] | null,
): Promise<MasterKey[]> {
  const keys = fromEnvironment ?? (await readKeys(masterKeyFile(dataDir)))
  if (keys) return keys
  throw new AppError('secret_unreadable', `there is no master key in ${dataDir}`, {
    fix: 'Set MILLRACE_MASTER_KEY or MILLRACE_DATA_DIR as for npm start',
  })
}

function masterKeyFile(dataDir: string): string {
  return join(dataDir, 'master.key')
}

async function readKeys(path: string): Promise<MasterKey[] | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new AppError('secret_unreadable', `other users can read the master key ${path}`, {
      fix: `Run chmod 600 ${path}`,
    })
  }
  const found = parseMasterKeys(text.trim().split(/\s*\n\s*/))
  if ('keys' in found) return found.keys
  throw new AppError('secret_unreadable', `the master key ${path} does not hold ${found.problem}`, {
    fix: 'Restore it from a backup. A new key cannot open the secrets stored so far',
  })
}

/** Linking fails if the name exists, so all processes read the same, complete key. */
async function createKey(path: string): Promise<MasterKey[]> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
  const keys = await readKeys(path)
  if (!keys) throw new Error('the key was deleted right after its creation')
  return keys
}
