import { AppError } from '../../../errors.ts'
import { type Account, isInactive, mergeAccounts, toAccount, withLicence } from '../access/accounts.ts'
import { PEOPLE_SHOWN } from '../access/people.ts'
import type { PeopleClient } from '../client.ts'
import { peopleCql } from '../listing/cql.ts'
import * as wire from '../responses.ts'
import { listReaders } from '../transport/lists.ts'
import { isGateway } from '../transport/site.ts'
import { isNotFound, type WikiTransport } from '../transport/transport.ts'

/** The server's maximum of account ids per request. */
const BULK = 250
/** Shows whether an account may use the product. */
const WITH_LICENCE = { expand: 'operations' }

export function cloudPeople(transport: WikiTransport): PeopleClient {
  const { site, ask } = transport
  const { byOffset } = listReaders(transport)

  async function profile(id: string, signal: AbortSignal): Promise<Account | null> {
    const query = { accountId: id, ...WITH_LICENCE }
    const question = { doing: `looking up account ${id}`, path: '/rest/api/user', query }
    try {
      const [account] = toAccount(await ask({ ...question, response: wire.accountAnswer }, signal))
      return account ? withLicence(account) : null
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  }

  async function accounts(ids: string[], signal: AbortSignal): Promise<Account[]> {
    const found: Account[] = []
    for (let at = 0; at < ids.length; at += BULK) {
      const body = { accountIds: ids.slice(at, at + BULK) }
      const question = { doing: 'reading the status of accounts', path: '/api/v2/users-bulk', body }
      const { results } = await ask({ ...question, response: wire.listOf(wire.accountAnswer) }, signal)
      found.push(...results.flatMap(toAccount))
    }
    return found
  }

  return {
    me: async (signal) => {
      const question = { doing: 'signing in', path: '/rest/api/user/current', response: wire.accountAnswer }
      const [account] = toAccount(await ask(question, signal))
      if (account) return account
      throw new AppError('source_unauthorized', `signing in: ${site.name} did not recognise the credentials`)
    },

    members: async (group, signal) => {
      const doing = `reading the members of group ${group}`
      const path = `/rest/api/group/${encodeURIComponent(group)}/membersByGroupId`
      try {
        const asked = { doing, path, query: WITH_LICENCE }
        const rows = await byOffset(asked, wire.accountAnswer, signal)
        return rows.flatMap(toAccount).map(withLicence)
      } catch (error) {
        if (!isNotFound(error) || isGateway(site)) throw error
        // A 404 may mean forbidden; then the group itself can still be looked up.
        const there = {
          doing,
          path: '/rest/api/group/by-id',
          query: { id: group },
          response: wire.groupAnswer,
        }
        if (await ask(there, signal).then(() => false, isNotFound)) return []
        throw error
      }
    },

    account: async (id, signal) => {
      // v1 does not document the status and may hide closed accounts.
      const [described] = await accounts([id], signal)
      if (described && isInactive(described)) return described
      const account = await profile(id, signal)
      return account && mergeAccounts(described, account)
    },

    profile,
    accounts,

    groupsOf: async (user, signal) => {
      const path = '/rest/api/user/memberof'
      const question = { doing: `reading the groups of ${user}`, path, query: { accountId: user } }
      return (await byOffset(question, wire.groupAnswer, signal)).flatMap(({ id }) => (id ? [id] : []))
    },

    find: async (text, signal) => {
      const query = { cql: peopleCql(text), limit: String(PEOPLE_SHOWN) }
      const question = { doing: 'looking for people', path: '/rest/api/search/user', query }
      const { results } = await ask({ ...question, response: wire.listOf(wire.foundUserAnswer) }, signal)
      return results.flatMap(({ user }) => (user ? toAccount(user) : []))
    },
  }
}
