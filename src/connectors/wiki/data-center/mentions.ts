import { AppError } from '../../../errors.ts'
import type { MentionsClient } from '../client.ts'
import { userKey } from '../content/mentions.ts'
import type { UserRef } from '../content/storage-links.ts'
import type { Transport } from '../transport/transport.ts'
import * as wire from './answers.ts'

/** Names of people, as Data Center serves them: one by one, by key or by user name. */
export function dataCenterMentions({ ask }: Transport): MentionsClient {
  async function nameOf(user: UserRef, signal: AbortSignal): Promise<string | null> {
    const query: Record<string, string> = user.by === 'username' ? { username: user.id } : { key: user.id }
    const question = { doing: 'looking up a mentioned person', path: '/rest/api/user', query, tries: 3 }
    try {
      return (await ask({ ...question, answer: wire.accountAnswer }, signal)).displayName ?? null
    } catch (error) {
      if (error instanceof AppError && !error.endsJob && !error.retryable) return null
      throw error
    }
  }

  return {
    displayNames: async (users, signal) => {
      const known = users.filter(({ by }) => by !== 'account')
      const names = await Promise.all(
        known.map(async (user) => [userKey(user), await nameOf(user, signal)] as const),
      )
      return new Map(names.flatMap(([key, name]) => (name ? [[key, name] as const] : [])))
    },
  }
}
