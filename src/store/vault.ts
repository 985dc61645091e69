import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'

/** Encrypts secrets, and hashes values that are only compared. */
export interface Vault {
  /** `bind` names the owner, such as `connector:<workspace>:<id>`; a value opens only with the same one. */
  seal(plaintext: string, bind: string): Buffer
  open(sealed: Buffer, bind: string): string
  /** Equal for equal values under one master key; useless without that key. */
  lookup(value: string): string
  /** A separate secret per purpose, such as signing cookies. */
  secretFor(purpose: string): string
}

/** Layout: version (1), IV (12), tag (16), ciphertext. The tag also covers version and `bind`. */
const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

export function createVault(masterKey: Buffer): Vault {
  if (masterKey.length !== KEY_BYTES) throw new RangeError(`a master key has ${KEY_BYTES} bytes`)
  const sealingKey = derive(masterKey, 'millrace seal v1')
  const lookupKey = derive(masterKey, 'millrace lookup v1')

  return {
    seal(plaintext, bind) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealingKey, iv).setAAD(associatedData(bind))
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), ciphertext])
    },
    open(sealed, bind) {
      try {
        if (sealed[0] !== VERSION) throw new RangeError(`sealed with version ${sealed[0]}`)
        const iv = sealed.subarray(1, 1 + IV_BYTES)
        const tag = sealed.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES)
        const decipher = createDecipheriv('aes-256-gcm', sealingKey, iv, { authTagLength: TAG_BYTES })
          .setAAD(associatedData(bind))
          .setAuthTag(tag)
        const ciphertext = sealed.subarray(1 + IV_BYTES + TAG_BYTES)
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
      } catch (cause) {
        throw new AppError('secret_unreadable', `opening the stored secret of ${bind}`, {
          cause,
          fix: 'Start with the master key that sealed it, or enter the secret again',
        })
      }
    },
    lookup: (value) => createHmac('sha256', lookupKey).update(value).digest('hex'),
    secretFor: (purpose) => derive(masterKey, `millrace secret for ${purpose} v1`).toString('base64url'),
  }
}

/** The operator's key, else the one in the data directory, created at the first start. */
export async function loadMasterKey(dataDir: string, fromEnvironment: Buffer | null): Promise<Buffer> {
  if (fromEnvironment) return fromEnvironment
  const path = join(dataDir, 'master.key')
  try {
    return (await readKey(path)) ?? (await createKey(path))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('secret_unreadable', `reading the master key ${path}`, {
      cause,
      fix: 'Make its directory writable, or set MILLRACE_MASTER_KEY',
    })
  }
}

function derive(masterKey: Buffer, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', label, KEY_BYTES))
}

function associatedData(bind: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(bind, 'utf8')])
}

async function readKey(path: string): Promise<Buffer | null> {
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
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length === KEY_BYTES) return key
  throw new AppError(
    'secret_unreadable',
    `the master key ${path} does not hold ${KEY_BYTES} bytes in base64`,
    {
      fix: 'Restore it from a backup. A new key cannot open the secrets stored so far',
    },
  )
}

/** Linking fails if the name exists, so all processes read the same, complete key. */
async function createKey(path: string): Promise<Buffer> {
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
  const key = await readKey(path)
  if (!key) throw new Error('the key was deleted right after its creation')
  return key
}
