import {
  ANONYMOUS,
  type AnyOf,
  AUTHENTICATED,
  anyOf,
  LICENSED,
  levelTokens,
  type Naming,
  NO_PRINCIPALS,
  PROVABLE_CLASSES,
} from './principals.ts'

/**
 * The algebra of permissions: an AND of levels, each an OR of people, groups and classes. `flatten` turns it into one
 * OR. Every level must pass; an empty list grants no access.
 */
export type AllOf = readonly AnyOf[]

/** Known groups and people; `undefined` means unreadable and grants no access. */
export interface Directory {
  readonly naming: Naming
  members(group: string): ReadonlySet<string> | undefined
  /** Never asked for `anonymous-users`: every active account belongs to that class. */
  inClass(user: string, name: string): boolean | undefined
  /** True only for accounts whose own grants and groups do not count: inactive or unlicensed ones. */
  isIgnored(user: string): boolean
}

type Flattened = { who: AnyOf; unresolved: string[] }

/** One OR equal to the AND; `unresolved` names groups with unknown members. */
export function flatten(levels: AllOf, directory: Directory): Flattened {
  const limits = effectiveLevels(levels)
  const first = limits[0] ?? levels[0]
  if (!first) return { who: NO_PRINCIPALS, unresolved: [] }
  if (limits.length <= 1) return { who: first, unresolved: [] }

  const unresolved = new Set<string>()
  const members = (group: string): ReadonlySet<string> => {
    const known = directory.members(group)
    if (!known) unresolved.add(group)
    return known ?? new Set()
  }

  const classes = new Set(
    limits
      .flatMap((level) => [...level.classes])
      .filter((name) => limits.every((level) => coversClass(level, name))),
  )
  const groups = new Set(
    [...allGroups(limits)].filter((group) => limits.every((level) => coversGroup(level, group, directory))),
  )

  // Other levels may have loaded more people, and the result must not depend on them.
  const loaded = directoryLookups(levels)
  const isLoaded = (user: string) =>
    loaded.users.has(user) || [...loaded.groups].some((group) => directory.members(group)?.has(user))

  const users = new Set<string>()
  const lookup: Lookup = { directory, members, excludedGroups: groups }
  for (const user of candidates(limits, lookup)) {
    if (isLoaded(user) && directory.isIgnored(user)) continue
    if (limits.every((level) => passesLevel(level, user, lookup))) users.add(user)
  }
  return { who: anyOf(users, groups, classes), unresolved: [...unresolved].sort() }
}

/** The groups and users that `flatten` looks up in the directory. */
export function directoryLookups(levels: AllOf): { groups: Set<string>; users: Set<string> } {
  const limits = effectiveLevels(levels)
  if (limits.length <= 1) return { groups: new Set(), users: new Set() }
  const groups = [...allGroups(limits)].filter((group) => !limits.every((level) => level.groups.has(group)))
  const asksForClass = limits.some((level) => PROVABLE_CLASSES.some((name) => level.classes.has(name)))
  return {
    groups: new Set(groups),
    users: new Set(asksForClass ? limits.flatMap((level) => [...level.users]) : []),
  }
}

/** Drops levels that exclude no one: anonymous ones, and those that contain another. */
export function effectiveLevels(levels: AllOf): AnyOf[] {
  let kept: AnyOf[] = []
  for (const level of levels) {
    if (level.classes.has(ANONYMOUS) || kept.some((other) => isWithin(other, level))) continue
    kept = [...kept.filter((other) => !isWithin(level, other)), level]
  }
  return kept
}

/** Whether one person passes one level. */
export function satisfies(level: AnyOf, user: string, directory: Directory): boolean {
  return passesLevel(level, user, {
    directory,
    members: (group) => directory.members(group) ?? new Set(),
    excludedGroups: new Set(),
  })
}

/** Readers of the index query a fixed number of clauses, so levels beyond it share the last one. */
const MAX_CLAUSES = 8
export const CLAUSE_NAMES: readonly string[] = Array.from({ length: MAX_CLAUSES }, (_, at) => `c${at}`)

/** The levels that share the last clause; none if every level has its own. */
export function mergedLevels<T>(levels: readonly T[]): readonly T[] {
  return levels.length <= MAX_CLAUSES ? [] : levels.slice(MAX_CLAUSES - 1)
}

/** The AND for index readers: `c0` must match, later clauses match or are absent. */
export function clauses(levels: AllOf, directory: Directory): Record<string, string[]> {
  const merged = mergedLevels(levels)
  const own = levels.slice(0, levels.length - merged.length)
  const all = merged.length > 0 ? [...own, flatten(merged, directory).who] : own
  const named = all.length > 0 ? all : [NO_PRINCIPALS]
  return Object.fromEntries(named.map((level, index) => [`c${index}`, levelTokens(level, directory.naming)]))
}

/** The entries of each clause that the tokens match; null if a clause refuses the reader. */
export function matchClauses(
  clauses: Record<string, readonly string[]>,
  tokens: ReadonlySet<string>,
): Map<string, string[]> | null {
  if (!clauses.c0) return null
  const matched = new Map<string, string[]>()
  for (const [name, entries] of Object.entries(clauses)) {
    const matching = entries.filter((entry) => tokens.has(entry))
    if (matching.length === 0) return null
    matched.set(name, matching)
  }
  return matched
}

function isWithin(small: AnyOf, large: AnyOf): boolean {
  return (['users', 'groups', 'classes'] as const).every((kind) => {
    if (small[kind].size > large[kind].size) return false
    for (const id of small[kind]) if (!large[kind].has(id)) return false
    return true
  })
}

function allGroups(levels: AllOf): Set<string> {
  return new Set(levels.flatMap((level) => [...level.groups]))
}

/** Every licensed user is an authenticated user. */
function coversClass({ classes }: AnyOf, name: string): boolean {
  return classes.has(name) || (name === LICENSED && classes.has(AUTHENTICATED))
}

/** Covers groups it names, and groups whose members its classes cover, apart from ignored ones. */
function coversGroup(level: AnyOf, group: string, directory: Directory): boolean {
  if (level.groups.has(group)) return true
  const classes = PROVABLE_CLASSES.filter((name) => level.classes.has(name))
  const members = classes.length > 0 ? directory.members(group) : undefined
  if (!members || members.size === 0) return false
  return [...members].every(
    (user) => directory.isIgnored(user) || classes.some((name) => directory.inClass(user, name) === true),
  )
}

/** A small set that includes every user who can pass, without members of excluded groups. */
function candidates(levels: AllOf, { members, excludedGroups }: Lookup): Set<string> {
  const expand = (level: AnyOf) => {
    const people = new Set(level.users)
    for (const group of level.groups) {
      if (!excludedGroups.has(group)) for (const user of members(group)) people.add(user)
    }
    return people
  }
  const named = levels.filter((level) => level.classes.size === 0)
  if (named.length === 0) return new Set(levels.flatMap((level) => [...expand(level)]))
  return named.map(expand).reduce((smallest, next) => (next.size < smallest.size ? next : smallest))
}

type Lookup = {
  directory: Directory
  members: (group: string) => ReadonlySet<string>
  excludedGroups: ReadonlySet<string>
}

function passesLevel(level: AnyOf, user: string, { directory, members, excludedGroups }: Lookup): boolean {
  if (level.users.has(user) || level.classes.has(ANONYMOUS)) return true
  for (const group of level.groups) if (!excludedGroups.has(group) && members(group).has(user)) return true
  for (const name of level.classes) if (directory.inClass(user, name) === true) return true
  return false
}
