import { forEachLimited } from '../../../concurrency.ts'
import { AppError } from '../../../errors.ts'
import { inParts } from '../../kit/batches.ts'
import {
  type Account,
  assumeLicence,
  isInactive,
  mergeAccounts,
  toAccount,
  toAccountEmail,
} from '../access/accounts.ts'
import { currentAccount } from '../access/current-account.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import { PEOPLE_SHOWN } from '../access/people.ts'
import type { PeopleClient } from '../client.ts'
import { peopleCql } from '../listing/cql.ts'
import * as wire from '../responses.ts'
import { listReaders } from '../transport/lists.ts'
import { isGateway } from '../transport/site.ts'
import { isNotFound, nullIfMissing, type WikiTransport } from '../transport/transport.ts'

/** The server's maximum of account ids per request, for their status and for their profiles. */
const BULK_SIZE = 250
const PROFILES_SIZE = 100
/** The server's maximum of people in a search. */
const MAX_LISTED = 10_000
/** The wiki has no request for several groups. */
const CONCURRENT_GROUPS = 5
/** Shows whether an account may use the product. */
const WITH_LICENCE = { expand: 'operations' }
/** By default the user search finds licensed people only. */
const WITH_GUESTS = { sitePermissionTypeFilter: 'all' }

export function cloudPeople(transport: WikiTransport): PeopleClient {
  const { site, send } = transport
  const { byOffset } = listReaders(transport)

  async function profile(id: string, signal: AbortSignal): Promise<Account | null> {
    const query = { accountId: id, ...WITH_LICENCE }
    const request = { doing: `looking up account ${id}`, path: '/rest/api/user', query }
    const row = await send({ ...request, response: wire.accountResponse }, signal).catch(nullIfMissing)
    const [account] = row ? toAccount(row) : []
    return account ? assumeLicence(account) : null
  }

  async function accounts(ids: string[], signal: AbortSignal): Promise<Account[]> {
    return (await readBulk(transport, ids, signal)).flatMap(toAccount)
  }

  function groupById(id: string, doing: string, signal: AbortSignal): Promise<wire.GroupResponse> {
    const request = { doing, path: '/rest/api/group/by-id', query: { id } }
    return send({ ...request, response: wire.groupResponse }, signal)
  }

  return {
    me: (signal) => currentAccount(transport, { response: wire.accountResponse }, signal),

    members: async (group, signal) => {
      const doing = `reading the members of group ${group}`
      const path = `/rest/api/group/${encodeURIComponent(group)}/membersByGroupId`
      try {
        const request = { doing, path, query: WITH_LICENCE }
        const rows = await byOffset(request, wire.accountResponse, signal)
        return rows.flatMap(toAccount).map(assumeLicence)
      } catch (error) {
        if (!isNotFound(error) || isGateway(site)) throw error
        // A 404 may mean forbidden; then the group itself can still be looked up.
        if (await groupById(group, doing, signal).then(() => false, isNotFound)) return []
        throw error
      }
    },

    account: async (id, signal) => {
      // v1 does not document the status and may hide closed accounts.
      const [bulkAccount] = await accounts([id], signal)
      if (bulkAccount && isInactive(bulkAccount)) return bulkAccount
      const account = await profile(id, signal)
      return account && mergeAccounts(bulkAccount, account)
    },

    profile,
    profiles: (ids, signal) => readProfiles(transport, ids, signal),
    accounts,

    groupsOf: async (user, signal) => {
      const path = '/rest/api/user/memberof'
      const request = { doing: `reading the groups of ${user}`, path, query: { accountId: user } }
      return (await byOffset(request, wire.groupResponse, signal)).flatMap(({ id }) => (id ? [id] : []))
    },

    groupNames: async (ids, signal) => {
      const names = new Map<string, string>()
      await forEachLimited(ids, CONCURRENT_GROUPS, async (id) => {
        const group = await groupById(id, `looking up group ${id}`, signal).catch(undefinedUnlessFatal)
        if (group?.name) names.set(id, group.name)
      })
      return names
    },

    emails: async (signal) => {
      const query = { cql: 'type = user', ...WITH_GUESTS }
      const request = { doing: 'listing people', path: '/rest/api/search/user', query }
      const rows = await byOffset(request, wire.foundUserResponse, signal)
      if (rows.length >= MAX_LISTED)
        throw new AppError('not_possible', `${site.name} lists only its first ${MAX_LISTED} people`, {
          fix: 'Import a table of identities',
        })
      const ids = new Set(rows.flatMap(({ user }) => user?.accountId ?? []))
      return (await readBulk(transport, [...ids], signal)).flatMap(toAccountEmail)
    },

    find: async (text, signal) => {
      const query = { cql: peopleCql(text), limit: String(PEOPLE_SHOWN), ...WITH_GUESTS }
      const request = { doing: 'looking for people', path: '/rest/api/search/user', query }
      const { results } = await send({ ...request, response: wire.listOf(wire.foundUserResponse) }, signal)
      return results.flatMap(({ user }) => (user ? toAccount(user) : []))
    },
  }
}

/** The accounts with their status. */
async function readBulk(
  { send }: WikiTransport,
  ids: string[],
  signal: AbortSignal,
): Promise<wire.AccountResponse[]> {
  const found: wire.AccountResponse[] = []
  for (const accountIds of inParts(ids, BULK_SIZE)) {
    const body = { accountIds }
    const request = { doing: 'reading the status of accounts', path: '/api/v2/users-bulk', body }
    const { results } = await send({ ...request, response: wire.listOf(wire.accountResponse) }, signal)
    found.push(...results)
  }
  return found
}

async function readProfiles({ send }: WikiTransport, ids: string[], signal: AbortSignal): Promise<Account[]> {
  const found: Account[] = []
  for (const accountId of inParts(ids, PROFILES_SIZE)) {
    const query = { accountId, ...WITH_LICENCE }
    const request = { doing: 'looking up accounts', path: '/rest/api/user/bulk', query }
    const { results } = await send({ ...request, response: wire.listOf(wire.accountResponse) }, signal)
    found.push(...results.flatMap(toAccount).map(assumeLicence))
  }
  return found
}
