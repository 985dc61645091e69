import { undefinedUnlessFatal } from '../access/directory.ts'
import type { MentionsClient } from '../client.ts'
import { isRefusal, userKey } from '../content/mentions.ts'
import type { UserRef } from '../content/storage/links.ts'
import type { WikiTransport } from '../transport/transport.ts'
import type { DisplayNames } from './display-names.ts'
import * as wire from './responses.ts'

/** One by one, by key or user name; `names` are known without a request. */
export function dataCenterMentions({ send }: WikiTransport, names: DisplayNames): MentionsClient {
  /** Undefined if the lookup failed. */
  async function nameOf(user: UserRef, signal: AbortSignal): Promise<string | null | undefined> {
    // From bodies imported from Cloud; no endpoint accepts an account id.
    if (user.by === 'account') return null
    const known = user.by === 'key' ? names.of(user.id) : undefined
    if (known) return known
    const query: Record<string, string> = user.by === 'username' ? { username: user.id } : { key: user.id }
    const request = { doing: 'looking up a mentioned person', path: '/rest/api/user', query, tries: 3 }
    try {
      return (await send({ ...request, response: wire.serverAccountResponse }, signal)).displayName || null
    } catch (error) {
      return isRefusal(error) ? null : undefinedUnlessFatal(error)
    }
  }

  return {
    displayNames: async (users, signal) => {
      const found = new Map<string, string | null>()
      await Promise.all(
        users.map(async (user) => {
          const name = await nameOf(user, signal)
          if (name !== undefined) found.set(userKey(user), name)
        }),
      )
      return found
    },
  }
}
