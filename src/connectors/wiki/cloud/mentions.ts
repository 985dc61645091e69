import { AppError } from '../../../errors.ts'
import * as wire from '../answers.ts'
import type { MentionsClient } from '../client.ts'
import { userKey } from '../content/mentions.ts'
import type { Transport } from '../transport/transport.ts'

/** The most that the endpoint takes. */
const AT_ONCE = 250

/** Names of people, as the Cloud serves them: many at once, or one by one where that is refused. */
export function cloudMentions({ ask }: Transport): MentionsClient {
  let isRefused = false

  async function together(ids: string[], signal: AbortSignal): Promise<wire.AccountAnswer[] | null> {
    const question = { doing: 'looking up mentioned people', path: '/api/v2/users-bulk', tries: 3 }
    const answer = wire.listOf(wire.accountAnswer)
    try {
      return (await ask({ ...question, body: { accountIds: ids }, answer }, signal)).results
    } catch (error) {
      if (!isRefusal(error)) throw error
      isRefused = true
      return null
    }
  }

  async function alone(id: string, signal: AbortSignal): Promise<wire.AccountAnswer[]> {
    const question = { doing: `looking up account ${id}`, path: '/rest/api/user', query: { accountId: id } }
    try {
      return [await ask({ ...question, tries: 3, answer: wire.accountAnswer }, signal)]
    } catch (error) {
      if (isRefusal(error)) return []
      throw error
    }
  }

  return {
    displayNames: async (users, signal) => {
      const ids = users.flatMap(({ by, id }) => (by === 'account' ? [id] : []))
      const rows: wire.AccountAnswer[] = []
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const batch = ids.slice(at, at + AT_ONCE)
        const found = isRefused ? null : await together(batch, signal)
        rows.push(...(found ?? (await Promise.all(batch.map((id) => alone(id, signal)))).flat()))
      }
      return new Map(
        rows.flatMap(({ accountId, displayName, publicName }) => {
          const name = displayName || publicName
          return accountId && name ? [[userKey({ by: 'account', id: accountId }), name] as const] : []
        }),
      )
    },
  }
}

/** Not there, not allowed or not understood: asking again does not help. */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && !error.endsJob && !error.retryable
}
