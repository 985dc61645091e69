import { KEY_BYTES, type MasterKey } from './vault.ts'

const ENTRY = /^(?:([\w.-]{1,32}):)?(\S+)$/

/** Entries of the form `id:key`. Only the last may lack an id: it is the key of values without one. */
export function parseMasterKeys(entries: string[]): { keys: MasterKey[] } | { problem: string } {
  const keys: MasterKey[] = []
  for (const entry of entries) {
    const [, id = null, text = ''] = ENTRY.exec(entry.trim()) ?? []
    const key = keyBytes(text)
    if (!key) return { problem: entries.length > 1 || entry.includes(':') ? LIST : ONE }
    keys.push({ id, key })
  }
  if (keys.slice(0, -1).some(({ id }) => id === null))
    return { problem: `an id before every key but the last: ${LIST}` }
  const ids = new Set(keys.map(({ id }) => id))
  const values = new Set(keys.map(({ key }) => key.toString('hex')))
  if (ids.size < keys.length || values.size < keys.length)
    return { problem: `keys of different ids and values: ${LIST}` }
  return { keys }
}

const ONE = `${KEY_BYTES} bytes in base64 or hex, such as \`openssl rand -base64 32\` prints`
const LIST = `id:key entries, the current key first, each ${KEY_BYTES} bytes in base64 or hex`

function keyBytes(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
}
