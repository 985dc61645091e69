import { LRUCache } from 'lru-cache'
import type { MentionsClient } from '../client.ts'
import { unlessTheJobEnds } from '../directory.ts'
import { decoded } from './entities.ts'
import type { NameOf } from './storage-format.ts'
import type { UserRef } from './storage-links.ts'

/** Display names of mentioned people, kept for as long as the source is open. */
export type Mentions = {
  /** Looks up everyone these bodies mention and who is not known yet, in one request where the wiki can. */
  load(bodies: string[], signal: AbortSignal): Promise<void>
  nameOf: NameOf
}

const MOST_KEPT = 20_000
/** At once: a page of nothing but mentions must not cost millions of requests. */
const MOST_AT_ONCE = 1_000

export function createMentions(client: MentionsClient): Mentions {
  const names = new LRUCache<string, { name: string | null }>({ max: MOST_KEPT })

  return {
    load: async (bodies, signal) => {
      const wanted = new Map<string, UserRef>()
      for (const body of bodies)
        for (const user of mentionedIn(body)) if (!names.has(userKey(user))) wanted.set(userKey(user), user)
      if (wanted.size === 0) return
      const asked = [...wanted.values()].slice(0, MOST_AT_ONCE)
      const found = await client.displayNames(asked, signal).catch(unlessTheJobEnds)
      // After a failure the next body asks again; a person who is not known is not asked for again.
      if (found)
        for (const user of asked) names.set(userKey(user), { name: found.get(userKey(user)) ?? null })
    },
    nameOf: (user) => names.get(userKey(user))?.name ?? null,
  }
}

export function userKey({ by, id }: UserRef): string {
  return `${by}:${id}`
}

const WAYS = { 'account-id': 'account', userkey: 'key', username: 'username' } as const

/** Everyone a body names, found without parsing it. */
function mentionedIn(body: string): UserRef[] {
  const users = new Map<string, UserRef>()
  const pattern = /\sri:(account-id|userkey|username)="([^"]{1,255})"/g
  for (const [, way, id = ''] of body.matchAll(pattern)) {
    const user: UserRef = { by: WAYS[way as keyof typeof WAYS], id: decoded(id) }
    users.set(userKey(user), user)
    if (users.size >= MOST_AT_ONCE) break
  }
  return [...users.values()]
}
