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
  const known = new KnownPeople()
  const groupLoads = new Map<string, Promise<void>>()
  const bulkLoads = new Map<string, Promise<void>>()
  const userLoads = new Map<string, Promise<void>>()

  async function loadGroup(group: string, signal: AbortSignal): Promise<void> {
    const accounts = await client.members(group, signal).catch(undefinedUnlessFatal)
    if (!accounts) return
    known.add(accounts)
    known.members.set(group, new Set(accounts.map(({ id }) => id)))
  }

  /** One request for hundreds of accounts; missing ones stay unknown. */
  async function loadBulk(users: string[], signal: AbortSignal): Promise<void> {
    const unloaded = users.filter((user) => !known.isKnown(user) && !bulkLoads.has(user))
    if (unloaded.length > 0) {
      const load = client
        .accounts(unloaded, signal)
        .catch(undefinedUnlessFatal)
        .then((accounts) => known.add(accounts ?? []))
      for (const user of unloaded) bulkLoads.set(user, load)
    }
    await Promise.all(users.map((user) => bulkLoads.get(user)))
  }

  /** A single lookup follows for those that are missing. */
  async function loadProfiles(users: string[], signal: AbortSignal): Promise<void> {
    if (users.length < 2) return
    known.add((await client.profiles(users, signal).catch(undefinedUnlessFatal)) ?? [])
  }

  async function loadUser(user: string, signal: AbortSignal): Promise<void> {
    const account = await client.profile(user, signal).catch(undefinedUnlessFatal)
    // A deleted account belongs to no class; an unreadable one stays unknown.
    if (account === null) known.deleted.add(user)
    else if (account) known.add([account])
  }

  /** Their groups decide, so the members of these groups are loaded too. */
  async function loadLicences(signal: AbortSignal): Promise<void> {
    known.access ??= (await client.productAccess?.(signal)) ?? null
    if (known.access) await loadGroups(known.access.groups, signal)
  }

  async function loadGroups(groups: Iterable<string>, signal: AbortSignal): Promise<void> {
    const loads = [...groups].map((group) => once(groupLoads, group, () => loadGroup(group, signal)))
    await Promise.all(loads)
  }

  return {
    ...lookupsOf(known),
    naming: client.naming,
    load: async ({ groups, users }, signal) => {
      const wanted = [...groups]
      const named = [...users]
      await loadGroups(wanted, signal)
      if (wanted.length + named.length > 0) await loadLicences(signal)
      const inGroups = wanted.flatMap((group) => [...(known.members.get(group) ?? [])])
      await loadBulk([...new Set([...named, ...inGroups])], signal)
      const isUnloaded = (user: string) => !known.isKnown(user) && !userLoads.has(user)
      await loadProfiles(named.filter(isUnloaded), signal)
      const unknown = named.filter((user) => !known.isKnown(user))
      await Promise.all(unknown.map((user) => once(userLoads, user, () => loadUser(user, signal))))
    },
  }
}

/** What was loaded so far. */
class KnownPeople {
  readonly members = new Map<string, ReadonlySet<string>>()
  readonly accounts = new Map<string, Account>()
  readonly deleted = new Set<string>()
  readonly names = new Map<string, string>()
  access: ProductAccess | null = null

  add(accounts: Account[]): void {
    for (const account of accounts) {
      this.accounts.set(account.id, mergeAccounts(this.accounts.get(account.id), account))
      if (account.name) this.names.set(account.id, account.name)
    }
  }

  /** A group that cannot be read may contain the account. */
  described(user: string): Account | undefined {
    const account = this.accounts.get(user)
    if (!account || !this.access) return account
    const groups = [...this.access.groups].filter((group) => this.members.get(group)?.has(user) !== false)
    return withLicence(account, this.access, groups)
  }

  isKnown(user: string): boolean {
    const account = this.described(user)
    return this.deleted.has(user) || (account !== undefined && hasKnownClasses(account))
  }
}

function lookupsOf(known: KnownPeople): Omit<WikiDirectory, 'naming' | 'load'> {
  return {
    addAccounts: (accounts) => known.add(accounts),
    names: known.names,
    people: () => known.accounts.keys(),
    members: (group) => known.members.get(group),
    isActive: (user) => known.accounts.get(user)?.status === 'active',
    inClass: (user, name) => {
      const account = known.described(user)
      if (known.deleted.has(user)) return false
      return account && inClass(account, name)
    },
    isInactive: (user) => {
      const account = known.accounts.get(user)
      return account !== undefined && isInactive(account)
    },
    isIgnored: (user) => {
      const account = known.described(user)
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
