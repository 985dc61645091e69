/**
 * The algebra of permissions: an AND of levels, each an OR of people, groups and classes. `flatten` turns it
 * into one OR. Unproved permissions grant no access.
 */
export type AnyOf = {
  readonly users: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly classes: ReadonlySet<string>
}

/** Every level must pass. An empty list grants no access. */
export type AllOf = readonly AnyOf[]

/** Class names as the source writes them. */
export const ANONYMOUS = 'anonymous-users'
export const LICENSED = 'all-licensed-users'
export const AUTHENTICATED = 'authenticated-users'

/** Known groups and people; `undefined` means unreadable and grants no access. */
export interface Directory {
  readonly naming: Naming
  members(group: string): ReadonlySet<string> | undefined
  /** Never asked for `anonymous-users`: every active account belongs to that class. */
  inClass(user: string, name: string): boolean | undefined
  /** True only for accounts known to be deactivated or closed; they see nothing. */
  isInactive(user: string): boolean
}

/** Group and class names in `access`; user names are equal everywhere. */
export type Naming = { group(id: string): string; class(name: string): string }

/** Names without a site, for display and for indexes of early releases. */
export const BARE: Naming = { group: (id) => id, class: (name) => name }

/** `groups: 'global'` where group ids are unique across sites, as on Cloud. */
export function siteNaming(site: string, groups: 'global' | 'per site'): Naming {
  const within = (name: string) => `${site}/${escaped(name)}`
  return {
    group: groups === 'global' ? BARE.group : within,
    class: (name) => (name === ANONYMOUS ? name : within(name)),
  }
}

/** A slash could name another site's group, and a quote could end a token. */
function escaped(name: string): string {
  return name.replaceAll(SPECIAL, encodeURIComponent)
}

/** The source's name for a name from a token. */
export function unescaped(name: string): string {
  return name.replaceAll(/%(?:25|2f|22|5c|2c|[01][0-9a-f]|7f)/gi, decodeURIComponent)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: directories may let one through
const SPECIAL = /[%/"\\,\u0000-\u001f\u007f]/g

export type Principals = { users: string[]; groups: string[]; access_classes?: string[] }
export type PermissionsData = [{ read: Principals }, { update: Principals }, { delete: Principals }]

/** The permissions of a document in both forms that its elements carry. */
export type Access = {
  permissions: PermissionsData
  /** `c0` is the scope, then each restricted level; see `clauses`. */
  clauses: Record<string, string[]>
  /** Why a permission could not be proved and grants no access. */
  unproved?: string
  /** Access classes that this version does not know; they grant no access. */
  unknownClasses?: readonly string[]
}

export function anyOf(
  users: Iterable<string> = [],
  groups: Iterable<string> = [],
  classes: Iterable<string> = [],
): AnyOf {
  return { users: new Set(users), groups: new Set(groups), classes: new Set(classes) }
}

export const NOBODY: AnyOf = anyOf()

export function either(a: AnyOf, b: AnyOf): AnyOf {
  return anyOf([...a.users, ...b.users], [...a.groups, ...b.groups], [...a.classes, ...b.classes])
}

export type Flattened = { who: AnyOf; unresolved: string[] }

/** One OR equal to the AND; `unresolved` names groups with unknown members. */
export function flatten(levels: AllOf, directory: Directory): Flattened {
  const limits = limiting(levels)
  const first = limits[0] ?? levels[0]
  if (!first) return { who: NOBODY, unresolved: [] }
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

  const users = new Set<string>()
  const lookup: Lookup = { directory, members, without: groups }
  for (const user of candidates(limits, lookup)) {
    if (directory.isInactive(user)) continue
    if (limits.every((level) => holds(level, user, lookup))) users.add(user)
  }
  return { who: anyOf(users, groups, classes), unresolved: [...unresolved].sort() }
}

/** What `flatten` asks its directory for. */
export function needed(levels: AllOf): { groups: Set<string>; users: Set<string> } {
  const limits = limiting(levels)
  if (limits.length <= 1) return { groups: new Set(), users: new Set() }
  const groups = [...allGroups(limits)].filter((group) => !limits.every((level) => level.groups.has(group)))
  const asksForClass = limits.some((level) => PROVABLE.some((name) => level.classes.has(name)))
  return {
    groups: new Set(groups),
    users: new Set(asksForClass ? limits.flatMap((level) => [...level.users]) : []),
  }
}

/** Drops levels that exclude no one: anonymous ones, and those that contain another. */
export function limiting(levels: AllOf): AnyOf[] {
  let kept: AnyOf[] = []
  for (const level of levels) {
    if (level.classes.has(ANONYMOUS) || kept.some((other) => isWithin(other, level))) continue
    kept = [...kept.filter((other) => !isWithin(level, other)), level]
  }
  return kept
}

/** Whether one person passes one level. */
export function satisfies(level: AnyOf, user: string, directory: Directory): boolean {
  return holds(level, user, {
    directory,
    members: (group) => directory.members(group) ?? new Set(),
    without: new Set(),
  })
}

/** Classes that an account itself proves. */
export const PROVABLE: readonly string[] = [LICENSED, AUTHENTICATED]

const MAX_CLAUSES = 8
/** Matches nothing: directories and engines refuse control characters in names. */
export const NO_ONE = '\u0001nobody'
/** What indexes of early releases hold instead. */
export const OLD_NO_ONE = 'nobody'

/** The AND for index readers: `c0` must match, later clauses match or are absent. */
export function clauses(levels: AllOf, directory: Directory): Record<string, string[]> {
  const kept = levels.length <= MAX_CLAUSES ? levels : levels.slice(0, MAX_CLAUSES - 1)
  const tail = levels.slice(kept.length)
  const all = tail.length > 0 ? [...kept, flatten(tail, directory).who] : kept
  const named = all.length > 0 ? all : [NOBODY]
  return Object.fromEntries(named.map((level, index) => [`c${index}`, tokens(level, directory.naming)]))
}

/** A person's tokens; a clause matches when it holds one of them. */
export function personTokens(
  person: { user?: string; groups: Iterable<string>; classes: Iterable<string> },
  naming: Naming,
): string[] {
  return [
    ...(person.user ? [`user:${person.user}`] : []),
    ...[...person.groups].map((group) => `group:${naming.group(group)}`),
    ...[...person.classes].map((name) => `class:${naming.class(name)}`),
  ]
}

export function toPrincipals(level: AnyOf): Principals {
  const classes = [...level.classes].sort()
  return {
    users: [...level.users].sort(),
    groups: [...level.groups].sort(),
    ...(classes.length > 0 ? { access_classes: classes } : {}),
  }
}

export const NOBODY_ACCESS: Access = {
  permissions: [
    { read: { users: [], groups: [] } },
    { update: { users: [], groups: [] } },
    { delete: { users: [], groups: [] } },
  ],
  clauses: { c0: [NO_ONE] },
}

function tokens({ users, groups, classes }: AnyOf, naming: Naming): string[] {
  const people = [...users].map((user) => `user:${user}`)
  const list = [...people, ...personTokens({ groups, classes }, naming)].sort()
  return list.length > 0 ? list : [NO_ONE]
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

/** Covers groups it names, and groups whose known active members its classes cover. */
function coversGroup(level: AnyOf, group: string, directory: Directory): boolean {
  if (level.groups.has(group)) return true
  const names = PROVABLE.filter((name) => level.classes.has(name))
  const members = names.length > 0 ? directory.members(group) : undefined
  if (!members || members.size === 0) return false
  return [...members].every(
    (user) => directory.isInactive(user) || names.some((name) => directory.inClass(user, name) === true),
  )
}

/** The smallest set that can pass all levels, without members of kept groups. */
function candidates(levels: AllOf, { members, without }: Lookup): Set<string> {
  const expand = (level: AnyOf) => {
    const people = new Set(level.users)
    for (const group of level.groups) {
      if (!without.has(group)) for (const user of members(group)) people.add(user)
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
  without: ReadonlySet<string>
}

function holds(level: AnyOf, user: string, { directory, members, without }: Lookup): boolean {
  if (level.users.has(user) || level.classes.has(ANONYMOUS)) return true
  for (const group of level.groups) if (!without.has(group) && members(group).has(user)) return true
  for (const name of level.classes) if (directory.inClass(user, name) === true) return true
  return false
}
