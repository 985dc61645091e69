import { AppError } from '../../../errors.ts'
import { type Account, type ProductAccess, toAccount, toAccountEmail } from '../access/accounts.ts'
import { currentAccount } from '../access/current-account.ts'
import { PEOPLE_SHOWN } from '../access/people.ts'
import type { PeopleClient } from '../client.ts'
import { listOf } from '../responses.ts'
import { listReaders } from '../transport/lists.ts'
import {
  isNotFound,
  isSignedOut,
  nullIfMissing,
  statusOfError,
  type WikiTransport,
} from '../transport/transport.ts'
import type { DisplayNames } from './display-names.ts'
import * as wire from './responses.ts'
import { atLeast } from './version.ts'

const PAGE_SIZE = 200
const MAX_PAGES = 5
/** Before 7.9 the server ignores tokens and treats the request as anonymous. */
const SIGN_IN_FIX =
  'Check the user name and the password, or that the token has not expired; personal access tokens need version 7.9 or later'
const WITH_STATUS = { expand: 'status' }

/** Accounts by key and groups by name. */
export function dataCenterPeople(
  transport: WikiTransport,
  names: DisplayNames,
  version: string | null,
): PeopleClient {
  const { site, send } = transport
  const { byOffset } = listReaders(transport)
  let pendingAccess: Promise<ProductAccess | null> | undefined

  async function profile(key: string, signal: AbortSignal): Promise<Account | null> {
    const query = { key, ...WITH_STATUS }
    const request = { doing: `looking up account ${key}`, path: '/rest/api/user', query }
    const row = await send({ ...request, response: wire.serverAccountResponse }, signal).catch(nullIfMissing)
    return row && (toAccount(row)[0] ?? null)
  }

  return {
    me: (signal) =>
      currentAccount(transport, { response: wire.serverAccountResponse, fix: SIGN_IN_FIX }, signal),

    members: async (group, signal) => {
      const doing = `reading the members of group ${group}`
      const path = `/rest/api/group/${encodeURIComponent(group)}`
      try {
        const request = { doing, path: `${path}/member`, query: WITH_STATUS }
        const accounts = (await byOffset(request, wire.serverAccountResponse, signal)).flatMap(toAccount)
        names.add(accounts)
        return accounts
      } catch (error) {
        const isRefused = [401, 403].includes(statusOfError(error) ?? 0) && !isSignedOut(error)
        if (isRefused) throw notAdministrator(doing, site.name, error)
        // Some servers do not find groups with these characters, so a 404 proves nothing.
        if (!isNotFound(error) || /[/\\%;?#]/.test(group)) throw error
        if (
          await send({ doing, path, response: wire.serverGroupResponse }, signal).then(
            () => false,
            isNotFound,
          )
        )
          return []
        throw error
      }
    },

    account: profile,
    profile,

    productAccess: (signal) => {
      pendingAccess ??= readProductAccess(transport, version, signal).catch((error) => {
        pendingAccess = undefined
        throw error
      })
      return pendingAccess
    },

    // There is no bulk request, and no class needs it.
    profiles: async () => [],
    accounts: async () => [],

    groupsOf: async (key, signal) => {
      const path = '/rest/api/user/memberof'
      const request = { doing: `reading the groups of ${key}`, path, query: { key } }
      return (await byOffset(request, wire.serverGroupResponse, signal)).flatMap(({ id }) => (id ? [id] : []))
    },

    // Groups have no other id.
    groupNames: async (ids) => new Map(ids.map((id) => [id, id])),

    // Only this list, for administrators since 9.3, shows addresses.
    emails: async (signal) => {
      const request = { doing: 'listing people', path: '/rest/api/admin/users/list/active' }
      const rows = await byOffset(request, wire.serverAccountResponse, signal).catch((error) => {
        if (!isNotFound(error)) throw error
        throw new AppError('not_possible', `${site.name} does not list the addresses of people`, {
          fix: 'Import a table of identities, or use Data Center 9.3 or later',
        })
      })
      return rows.flatMap(toAccountEmail)
    },

    find: (text, signal) => findPeople(transport, text, signal),
  }
}

/** Administrators read it since 9.3. */
async function readProductAccess(
  { send }: WikiTransport,
  version: string | null,
  signal: AbortSignal,
): Promise<ProductAccess | null> {
  if (!atLeast(version, '9.3')) return null
  const request = { doing: 'reading who may use the wiki', path: '/rest/api/permissions', tries: 2 }
  const rows = await send({ ...request, response: wire.permissionsResponse }, signal).catch((error) => {
    if (isUnreadable(error)) return []
    throw error
  })
  const subjects = rows.flatMap(({ operation, subject }) =>
    operation?.targetType === 'application' && operation.operationKey === 'use' ? (subject ?? []) : [],
  )
  const users = new Set(subjects.flatMap(({ type, userKey }) => (type === 'user' && userKey) || []))
  const groups = new Set(subjects.flatMap(({ type, name }) => (type === 'group' && name) || []))
  return users.size + groups.size > 0 ? { users, groups } : null
}

/** There is no search for people, so this reads the start of the full list. */
async function findPeople({ send }: WikiTransport, text: string, signal: AbortSignal): Promise<Account[]> {
  const found: Account[] = []
  for (let page = 0; page < MAX_PAGES && found.length < PEOPLE_SHOWN; page++) {
    const query = { start: String(page * PAGE_SIZE), limit: String(PAGE_SIZE), ...WITH_STATUS }
    const request = { doing: 'looking for people', path: '/rest/api/user/list', query }
    const { results } = await send({ ...request, response: listOf(wire.serverAccountResponse) }, signal)
    found.push(...results.flatMap(toAccount).filter(({ name }) => hasWordStartingWith(name ?? '', text)))
    if (results.length < PAGE_SIZE) break
  }
  return found
}

/** Some servers answer 500 where a permission is missing. */
function isUnreadable(error: unknown): boolean {
  const isForbidden = error instanceof AppError && error.code === 'source_forbidden'
  return isNotFound(error) || isForbidden || statusOfError(error) === 500
}

/** As on Cloud, one word of the name starts with the text. */
function hasWordStartingWith(name: string, text: string): boolean {
  return ` ${name.toLowerCase()}`.includes(` ${text.trim().toLowerCase()}`)
}

/** Since 8.5.16 other accounts get 401 (CONFSERVER-98582), although they are signed in. */
function notAdministrator(doing: string, site: string, cause: unknown): AppError {
  return new AppError('source_forbidden', `${doing}: ${site} shows them only to Confluence administrators`, {
    cause,
    fix: 'Give the account the global permission Confluence Administrator',
  })
}
