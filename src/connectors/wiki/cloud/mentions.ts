import { undefinedUnlessFatal } from '../access/directory.ts'
import type { MentionsClient } from '../client.ts'
import { isRefusal, userKey } from '../content/mentions.ts'
import * as wire from '../responses.ts'
import { statusOfError, type WikiTransport } from '../transport/transport.ts'

/** The endpoint's maximum. */
const BATCH_SIZE = 250

/** Many at once, or one by one if that is refused. */
export function cloudMentions({ send }: WikiTransport): MentionsClient {
  let isRefused = false

  async function lookUpMany(ids: string[], signal: AbortSignal): Promise<wire.AccountResponse[] | null> {
    const request = { doing: 'looking up mentioned people', path: '/api/v2/users-bulk', tries: 3 }
    const response = wire.listOf(wire.accountResponse)
    try {
      return (await send({ ...request, body: { accountIds: ids }, response }, signal)).results
    } catch (error) {
      if (!isRefusal(error)) throw error
      // A 400 concerns one id, not the next request.
      isRefused = statusOfError(error) !== 400
      return null
    }
  }

  /** Undefined if the lookup failed. */
  async function lookUpOne(
    id: string,
    signal: AbortSignal,
  ): Promise<wire.AccountResponse | null | undefined> {
    const request = { doing: `looking up account ${id}`, path: '/rest/api/user', query: { accountId: id } }
    try {
      return await send({ ...request, tries: 3, response: wire.accountResponse }, signal)
    } catch (error) {
      return isRefusal(error) ? null : undefinedUnlessFatal(error)
    }
  }

  /** Leaves out people whose lookup failed. */
  async function namesOf(ids: string[], signal: AbortSignal): Promise<Map<string, string | null>> {
    const found = isRefused ? null : await lookUpMany(ids, signal).catch(undefinedUnlessFatal)
    if (found) {
      const names = new Map(found.map((account) => [account.accountId, nameOf(account)]))
      return new Map(ids.map((id) => [id, names.get(id) ?? null]))
    }
    const names = new Map<string, string | null>()
    if (found === null)
      await Promise.all(
        ids.map(async (id) => {
          const account = await lookUpOne(id, signal)
          if (account !== undefined) names.set(id, account && nameOf(account))
        }),
      )
    return names
  }

  return {
    displayNames: async (users, signal) => {
      // Keys and user names come from Data Center; no endpoint accepts them.
      const names = new Map<string, string | null>(
        users.flatMap((user) => (user.by === 'account' ? [] : [[userKey(user), null]])),
      )
      const ids = users.flatMap(({ by, id }) => (by === 'account' ? [id] : []))
      for (let at = 0; at < ids.length; at += BATCH_SIZE)
        for (const [id, name] of await namesOf(ids.slice(at, at + BATCH_SIZE), signal))
          names.set(userKey({ by: 'account', id }), name)
      return names
    },
  }
}

function nameOf({ displayName, publicName }: wire.AccountResponse): string | null {
  return displayName || publicName || null
}
