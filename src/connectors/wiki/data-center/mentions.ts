import { undefinedUnlessFatal } from '../access/directory.ts'
import type { MentionsClient } from '../client.ts'
import { isRefusal, userKey } from '../content/mentions.ts'
import type { UserRef } from '../content/storage/links.ts'
import type { WikiTransport } from '../transport/transport.ts'
import * as wire from './responses.ts'

/** One by one, by key or user name. */
export function dataCenterMentions({ send }: WikiTransport): MentionsClient {
  /** Undefined if the lookup failed. */
  async function nameOf(user: UserRef, signal: AbortSignal): Promise<string | null | undefined> {
    // From bodies imported from Cloud; no endpoint accepts an account id.
    if (user.by === 'account') return null
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
      const names = new Map<string, string | null>()
      await Promise.all(
        users.map(async (user) => {
          const name = await nameOf(user, signal)
          if (name !== undefined) names.set(userKey(user), name)
        }),
      )
      return names
    },
  }
}
