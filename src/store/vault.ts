import { createCipheriv, createDecipheriv, createHmac, type Hmac, hkdfSync, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'

/** Encrypts secrets, and hashes values that are only compared. */
export interface Vault {
  /** `bind` names the owner, such as `connector:<workspace>:<id>`; a value opens only with the same one. */
  seal(plaintext: string, bind: string): Buffer
  open(sealed: Buffer, bind: string): string
  /** Equal for equal values of one installation; useless without its key. */
  lookup(value: string): string
  /** A separate secret per purpose, such as signing cookies. */
  secretFor(purpose: string): string
}

/** A named key seals with its name, so that values tell which key opens them. */
export type MasterKey = { id: string | null; key: Buffer }

/** What lookups and passwords depend on. A rotation seals these values and keeps them. */
export type DerivedKeys = {
  lookup: Buffer
  /** For purposes that `secrets` does not name. */
  base: Buffer
  secrets: Record<string, string>
}

/**
 * Layout: version (1), IV (12), tag (16), ciphertext. The tag also covers version and `bind`.
 * In version 2 the length (1) and the id of the key follow the version, and the tag covers them too.
 */
const UNNAMED = 1
const NAMED = 2
const IV_BYTES = 12
const TAG_BYTES = 16
export const KEY_BYTES = 32

/** The first key seals, all of them open. Without `derived`, lookups depend on the last key. */
export function createVault(master: Buffer | MasterKey[], derived?: DerivedKeys): Vault {
  const keys = (Buffer.isBuffer(master) ? [{ id: null, key: master }] : master).map(withSealingKey)
  const [current] = keys
  const oldest = keys.at(-1)
  if (!current || !oldest) throw new RangeError('a vault needs a master key')
  const { lookup, base, secrets } = derived ?? deriveFrom(oldest)

  return {
    seal(plaintext, bind) {
      const prefix = sealPrefix(current)
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', current.sealingKey, iv)
      cipher.setAAD(Buffer.concat([prefix, Buffer.from(bind, 'utf8')]))
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([prefix, iv, cipher.getAuthTag(), ciphertext])
    },
    open(sealed, bind) {
      const name = nameIn(sealed)
      // An unnamed value belongs to the oldest key, unless the list was turned round.
      // Another process may list an unnamed key with an id; the tag proves the key.
      const possible = name === null ? keys.toReversed() : keys.filter(({ id }) => id === name || id === null)
      let cause: unknown
      for (const { sealingKey } of possible) {
        try {
          return decrypt(sealed, { sealingKey, bind, prefix: sealPrefix({ id: name }) })
        } catch (error) {
          cause = error
        }
      }
      if (name !== null && !keys.some(({ id }) => id === name)) throw unknownKey(bind, name)
      throw new AppError('secret_unreadable', `opening the stored secret of ${bind}`, {
        cause,
        fix: 'Start with the master key that sealed it, or enter the secret again',
      })
    },
    lookup: (value) => hmac(lookup, value),
    secretFor: (purpose) => secrets[purpose] ?? secretFrom(base, purpose),
  }
}

/** The keys that an installation with this master key has used from its start. */
export function deriveFrom({ key }: MasterKey, purposes: string[] = []): DerivedKeys {
  const secrets = Object.fromEntries(purposes.map((purpose) => [purpose, secretFrom(key, purpose)]))
  return { lookup: derive(key, 'millrace lookup v1'), base: key, secrets }
}

/** Equal for equal keys; the database compares it and cannot compute the key from it. */
export function checkOf({ key }: MasterKey): string {
  return hmac(derive(key, 'millrace lookup v1'), 'the master key of this installation')
}

/** Authenticates backups, and nothing else. */
export function backupMac({ key }: MasterKey): Hmac {
  return createHmac('sha256', derive(key, 'millrace backup v1'))
}

/** What every value begins with that this key has sealed. */
export function sealPrefix({ id }: Pick<MasterKey, 'id'>): Buffer {
  if (id === null) return Buffer.of(UNNAMED)
  const name = Buffer.from(id, 'utf8')
  return Buffer.concat([Buffer.of(NAMED, name.length), name])
}

function withSealingKey(master: MasterKey): MasterKey & { sealingKey: Buffer } {
  if (master.key.length !== KEY_BYTES) throw new RangeError(`a master key has ${KEY_BYTES} bytes`)
  return { ...master, sealingKey: derive(master.key, 'millrace seal v1') }
}

/** The id of the key that sealed the value; null for an unnamed or a broken one. */
function nameIn(sealed: Buffer): string | null {
  return sealed[0] === NAMED ? sealed.subarray(2, 2 + (sealed[1] ?? 0)).toString('utf8') : null
}

function decrypt(sealed: Buffer, with_: { sealingKey: Buffer; bind: string; prefix: Buffer }): string {
  const { sealingKey, bind, prefix } = with_
  if (!sealed.subarray(0, prefix.length).equals(prefix))
    throw new RangeError(`sealed with version ${sealed[0]}`)
  const iv = sealed.subarray(prefix.length, prefix.length + IV_BYTES)
  const tag = sealed.subarray(prefix.length + IV_BYTES, prefix.length + IV_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', sealingKey, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.concat([prefix, Buffer.from(bind, 'utf8')]))
    .setAuthTag(tag)
  const ciphertext = sealed.subarray(prefix.length + IV_BYTES + TAG_BYTES)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
}

function unknownKey(bind: string, id: string): AppError {
  // A broken value may name anything.
  const name = /^[\w.-]{1,32}$/.test(id) ? `"${id}"` : 'of another id'
  return new AppError(
    'secret_unreadable',
    `opening the stored secret of ${bind}, sealed with the master key ${name}`,
    { fix: `Add the key ${name} to MILLRACE_MASTER_KEY or to the key file, or enter the secret again` },
  )
}

function hmac(key: Buffer, value: string): string {
  return createHmac('sha256', key).update(value).digest('hex')
}

function secretFrom(base: Buffer, purpose: string): string {
  return derive(base, `millrace secret for ${purpose} v1`).toString('base64url')
}

function derive(masterKey: Buffer, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', label, KEY_BYTES))
}
