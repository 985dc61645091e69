import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { invalid } from '../errors.ts'
import type { Vault } from '../store/vault.ts'

/** The hits of earlier pages, so that a changing index repeats none. */
export type SeenHits = { has(id: string): boolean; size: number }

export interface Cursors {
  /** Null beyond the limit of hits that a cursor can hold. */
  write(passed: string[], earlier: SeenHits, search: object): string | null
  /** Refuses a cursor of another search, person or destination. */
  read(cursor: string, search: object): SeenHits
}

export const NOTHING_SEEN: SeenHits = new Set<string>()

/** About 8 KB. */
export const MAX_SEEN = 1000
const LIFETIME_S = 3600
const HASH_BYTES = 6
const TIME_BYTES = 6
const MAC_BYTES = 32

export function createCursors(vault: Vault, now: () => number = Date.now): Cursors {
  const mac = (payload: Buffer, search: object) =>
    createHmac('sha256', vault.secretFor('search cursors'))
      .update(JSON.stringify(search))
      .update('\0')
      .update(payload)
      .digest()

  return {
    write(passed, earlier, search) {
      const hashes = new Set([...(earlier instanceof Seen ? earlier.hashes : []), ...passed.map(hashOf)])
      if (hashes.size > MAX_SEEN) return null
      const expires = Buffer.alloc(TIME_BYTES)
      expires.writeUIntBE(Math.floor(now() / 1000) + LIFETIME_S, 0, TIME_BYTES)
      const payload = Buffer.concat([expires, Buffer.from([...hashes].join(''), 'hex')])
      return Buffer.concat([mac(payload, search), payload]).toString('base64url')
    },
    read(cursor, search) {
      const bytes = Buffer.from(cursor, 'base64url')
      const payload = bytes.subarray(MAC_BYTES)
      const isOurs =
        payload.length >= TIME_BYTES && timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(payload, search))
      if (!isOurs) throw refused('it belongs to another search')
      if (payload.readUIntBE(0, TIME_BYTES) < now() / 1000) throw refused('it has expired')
      return new Seen(payload.subarray(TIME_BYTES))
    },
  }
}

class Seen implements SeenHits {
  readonly hashes = new Set<string>()

  constructor(packed: Buffer) {
    for (let at = 0; at < packed.length; at += HASH_BYTES)
      this.hashes.add(packed.toString('hex', at, at + HASH_BYTES))
  }

  get size(): number {
    return this.hashes.size
  }

  has(id: string): boolean {
    return this.hashes.has(hashOf(id))
  }
}

function hashOf(id: string): string {
  return createHash('sha256')
    .update(id)
    .digest('hex')
    .slice(0, 2 * HASH_BYTES)
}

function refused(why: string) {
  return invalid(['body', 'search_after'], `the cursor is not valid: ${why}. Search again without it`)
}
