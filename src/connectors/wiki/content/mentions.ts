import { LRUCache } from 'lru-cache'
import { AppError } from '../../../errors.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import type { MentionsClient } from '../client.ts'
import { statusOfError } from '../transport/transport.ts'
import { decodeEntities } from './storage/entities.ts'
import type { UserRef } from './storage/links.ts'

/** Display names of mentioned people, cached while the source is open. */
export type Mentions = {
  /** Looks up unknown people mentioned in these bodies, in one request if possible. */
  load(bodies: string[], signal: AbortSignal): Promise<void>
  /** Null for an unknown person; undefined if the lookup failed and may succeed later. */
  nameOf(user: UserRef): string | null | undefined
}

const MOST_KEPT = 20_000
const AT_ONCE = 1_000
/** Bounds the requests for a page full of mentions. */
const MOST_OF_A_BATCH = 5_000
const LONGEST_ID = 255

export function createMentions(client: MentionsClient): Mentions {
  const names = new LRUCache<string, { name: string | null }>({ max: MOST_KEPT })

  async function ask(users: UserRef[], signal: AbortSignal): Promise<boolean> {
    const found = await client.displayNames(users, signal).catch(undefinedUnlessFatal)
    for (const [key, name] of found ?? []) names.set(key, { name })
    return found !== undefined && found.size > 0
  }

  return {
    load: async (bodies, signal) => {
      const wanted = new Map<string, UserRef>()
      // Reading an entry keeps it in the cache for this batch.
      for (const body of bodies)
        for (const user of mentionedIn(body)) if (!names.get(userKey(user))) wanted.set(userKey(user), user)
      const users = [...wanted.values()].slice(0, MOST_OF_A_BATCH)
      let isAnswered = true
      for (let at = 0; at < users.length && isAnswered; at += AT_ONCE)
        isAnswered = await ask(users.slice(at, at + AT_ONCE), signal)
    },
    nameOf: (user) => {
      const known = names.get(userKey(user))
      if (known) return known.name
      return user.id.length > LONGEST_ID ? null : undefined
    },
  }
}

export function userKey({ by, id }: UserRef): string {
  return `${by}:${id}`
}

/** A 4xx that a retry does not change. */
export function isRefusal(error: unknown): boolean {
  const status = statusOfError(error) ?? 0
  const isPassing = status === 408 || status === 429
  return error instanceof AppError && !error.endsJob && status >= 400 && status < 500 && !isPassing
}

const WAYS = { 'account-id': 'account', userkey: 'key', username: 'username' } as const

/** Finds mentions without parsing the body. */
function mentionedIn(body: string): UserRef[] {
  const users = new Map<string, UserRef>()
  const pattern = /\sri:(account-id|userkey|username)=(?:"([^"]+)"|'([^']+)')/gi
  for (const [, way = '', double, single] of body.matchAll(pattern)) {
    const user: UserRef = {
      by: WAYS[way.toLowerCase() as keyof typeof WAYS],
      id: decodeEntities(double ?? single ?? ''),
    }
    if (user.id.length <= LONGEST_ID) users.set(userKey(user), user)
    if (users.size > MOST_OF_A_BATCH) break
  }
  return [...users.values()]
}
