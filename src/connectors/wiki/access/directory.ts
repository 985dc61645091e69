import { AppError } from '../../../errors.ts'
import type { LoadedDirectory } from '../../source.ts'
import type { WikiClient } from '../client.ts'
import {
  type Account,
  hasKnownClasses,
  inClass,
  isIgnored,
  isInactive,
  mergeAccounts,
  type ProductAccess,
  withLicence,
} from './accounts.ts'

/**
 * Group members and accounts, loaded once per listing. Unreadable ones stay `undefined` and grant nothing.
 */
export type WikiDirectory = LoadedDirectory & {
  /** All accounts known so far. */
  people(): Iterable<string>
  isInactive(user: string): boolean
  addAccounts(accounts: Account[]): void
  load(wanted: { groups: Iterable<string>; users: Iterable<string> }, signal: AbortSignal): Promise<void>
}

export function createDirectory(client: WikiClient): WikiDirectory {
  const members = new Map<string, ReadonlySet<string>>()
  const known = new Map<string, Account>()
  const deleted = new Set<string>()
  const names = new Map<string, string>()
  const groupLoads = new Map<string, Promise<void>>()
  const bulkLoads = new Map<string, Promise<void>>()
  const userLoads = new Map<string, Promise<void>>()
  let access: ProductAccess | null = null

  function addAccounts(accounts: Account[]): void {
    for (const account of accounts) {
      known.set(account.id, mergeAccounts(known.get(account.id), account))
      if (account.name) names.set(account.id, account.name)
    }
  }

  async function loadGroup(group: string, signal: AbortSignal): Promise<void> {
    const accounts = await client.members(group, signal).catch(undefinedUnlessFatal)
    if (!accounts) return
    addAccounts(accounts)
    members.set(group, new Set(accounts.map(({ id }) => id)))
  }

  /** One request for hundreds of accounts; missing ones stay unknown. */
  async function loadBulk(users: string[], signal: AbortSignal): Promise<void> {
    const unloaded = users.filter((user) => !isKnown(user) && !bulkLoads.has(user))
    if (unloaded.length > 0) {
      const load = client
        .accounts(unloaded, signal)
        .catch(undefinedUnlessFatal)
        .then((accounts) => addAccounts(accounts ?? []))
      for (const user of unloaded) bulkLoads.set(user, load)
    }
    await Promise.all(users.map((user) => bulkLoads.get(user)))
  }

  /** A single lookup follows for those that are missing. */
  async function loadProfiles(users: string[], signal: AbortSignal): Promise<void> {
    if (users.length < 2) return
    addAccounts((await client.profiles(users, signal).catch(undefinedUnlessFatal)) ?? [])
  }

  async function loadUser(user: string, signal: AbortSignal): Promise<void> {
    const account = await client.profile(user, signal).catch(undefinedUnlessFatal)
    // A deleted account belongs to no class; an unreadable one stays unknown.
    if (account === null) deleted.add(user)
    else if (account) addAccounts([account])
  }

  /** Their groups decide, so the members of these groups are loaded too. */
  async function loadLicences(signal: AbortSignal): Promise<void> {
    access ??= (await client.productAccess?.(signal)) ?? null
    if (access) await loadGroups(access.groups, signal)
  }

  async function loadGroups(groups: Iterable<string>, signal: AbortSignal): Promise<void> {
    const loads = [...groups].map((group) => once(groupLoads, group, () => loadGroup(group, signal)))
    await Promise.all(loads)
  }

  /** A group that cannot be read may contain the account. */
  function described(user: string): Account | undefined {
    const account = known.get(user)
    if (!account || !access) return account
    const groups = [...access.groups].filter((group) => members.get(group)?.has(user) !== false)
    return withLicence(account, access, groups)
  }

  function isKnown(user: string): boolean {
    const account = described(user)
    return deleted.has(user) || (account !== undefined && hasKnownClasses(account))
  }

  function isUnloaded(user: string): boolean {
    return !isKnown(user) && !userLoads.has(user)
  }

  return {
    naming: client.naming,
    addAccounts,
    load: async ({ groups, users }, signal) => {
      const wanted = [...groups]
      const named = [...users]
      await loadGroups(wanted, signal)
      if (wanted.length + named.length > 0) await loadLicences(signal)
      const inGroups = wanted.flatMap((group) => [...(members.get(group) ?? [])])
      await loadBulk([...new Set([...named, ...inGroups])], signal)
      await loadProfiles(named.filter(isUnloaded), signal)
      const unknown = named.filter((user) => !isKnown(user))
      await Promise.all(unknown.map((user) => once(userLoads, user, () => loadUser(user, signal))))
    },
    names,
    people: () => known.keys(),
    members: (group) => members.get(group),
    isActive: (user) => known.get(user)?.status === 'active',
    inClass: (user, name) => {
      const account = described(user)
      if (deleted.has(user)) return false
      return account && inClass(account, name)
    },
    isInactive: (user) => {
      const account = known.get(user)
      return account !== undefined && isInactive(account)
    },
    isIgnored: (user) => {
      const account = described(user)
      return account !== undefined && isIgnored(account)
    },
  }
}

/** Ignores errors that affect only this request. */
export function undefinedUnlessFatal(error: unknown): undefined {
  if (error instanceof AppError && !error.endsJob) return undefined
  throw error
}

function once(loads: Map<string, Promise<void>>, key: string, load: () => Promise<void>): Promise<void> {
  const started = loads.get(key) ?? load()
  loads.set(key, started)
  return started
}
