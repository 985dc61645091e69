import { LRUCache } from 'lru-cache'
import { AppError } from '../../../errors.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import type { MentionsClient } from '../client.ts'
import { statusOfError } from '../transport/transport.ts'
import { decodeEntities } from './storage/entities.ts'
import type { UserRef } from './storage/links.ts'

export type Mentions = ReturnType<typeof createMentions>

const MAX_CACHED = 20_000
const BATCH_SIZE = 1_000
/** Bounds the requests for a page full of mentions. */
const MAX_PER_CALL = 5_000
export const MAX_ID_LENGTH = 255

/** Display names of mentioned people, cached while the source is open. */
export function createMentions(client: MentionsClient) {
  const names = new LRUCache<string, { name: string | null }>({ max: MAX_CACHED })
  /** Slices that are read at the same time mention the same people. */
  const loading = new Map<string, Promise<boolean>>()

  async function lookUp(users: UserRef[], signal: AbortSignal): Promise<boolean> {
    const found = await client.displayNames(users, signal).catch(undefinedUnlessFatal)
    for (const [key, name] of found ?? []) names.set(key, { name })
    return found !== undefined && found.size > 0
  }

  async function lookUpOnce(users: UserRef[], signal: AbortSignal): Promise<boolean> {
    const lookup = lookUp(users, signal)
    const keys = users.map(userKey)
    for (const key of keys) loading.set(key, lookup)
    try {
      return await lookup
    } finally {
      for (const key of keys) if (loading.get(key) === lookup) loading.delete(key)
    }
  }

  /** Null for an unknown person; undefined if the lookup failed and may succeed later. */
  function nameOf(user: UserRef): string | null | undefined {
    const known = names.get(userKey(user))
    if (known) return known.name
    return user.id.length > MAX_ID_LENGTH ? null : undefined
  }

  return {
    /** Looks up unknown people mentioned in these bodies, in one request if possible. */
    load: async (bodies: string[], signal: AbortSignal) => {
      const wanted = new Map<string, UserRef>()
      // Reading an entry keeps it in the cache for this batch.
      for (const body of bodies)
        for (const user of mentionedIn(body)) if (!names.get(userKey(user))) wanted.set(userKey(user), user)
      // A lookup of another call may be cancelled; then these names are looked up here.
      const shared = [...wanted.keys()].flatMap((key) => loading.get(key) ?? [])
      if (shared.length > 0) await Promise.allSettled(new Set(shared))
      const users = [...wanted.values()].filter((user) => !names.get(userKey(user))).slice(0, MAX_PER_CALL)
      let hasNames = true
      for (let at = 0; at < users.length && hasNames; at += BATCH_SIZE)
        hasNames = await lookUpOnce(users.slice(at, at + BATCH_SIZE), signal)
    },
    nameOf,
    /** The names of people mentioned in these bodies, by `userKey`, without those whose lookup failed. */
    namesIn: (bodies: string[]) => {
      const found = new Map<string, string | null>()
      for (const user of bodies.flatMap(mentionedIn)) {
        const name = nameOf(user)
        if (name !== undefined) found.set(userKey(user), name)
      }
      return found
    },
  }
}

export function userKey({ by, id }: UserRef): string {
  return `${by}:${id}`
}

/** A 4xx that a retry does not change. */
export function isRefusal(error: unknown): boolean {
  const status = statusOfError(error) ?? 0
  const isTemporary = status === 408 || status === 429
  return error instanceof AppError && !error.endsJob && status >= 400 && status < 500 && !isTemporary
}

const ID_KINDS = { 'account-id': 'account', userkey: 'key', username: 'username' } as const

/** Finds mentions without parsing the body. */
function mentionedIn(body: string): UserRef[] {
  const users = new Map<string, UserRef>()
  const pattern = /\sri:(account-id|userkey|username)=(?:"([^"]+)"|'([^']+)')/gi
  for (const [, attribute = '', double, single] of body.matchAll(pattern)) {
    const user: UserRef = {
      by: ID_KINDS[attribute.toLowerCase() as keyof typeof ID_KINDS],
      id: decodeEntities(double ?? single ?? ''),
    }
    if (user.id.length <= MAX_ID_LENGTH) users.set(userKey(user), user)
    if (users.size > MAX_PER_CALL) break
  }
  return [...users.values()]
}
