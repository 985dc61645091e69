import {
  type AllOf,
  clauses,
  type Directory,
  directoryLookups,
  effectiveLevels,
  flatten,
  mergedLevels,
  satisfies,
} from '../../../permissions/algebra.ts'
import { type Access, NO_ACCESS } from '../../../permissions/levels.ts'
import {
  ANONYMOUS,
  type AnyOf,
  anyOf,
  PROVABLE_CLASSES,
  toPrincipals,
  union,
} from '../../../permissions/principals.ts'

/** Space permissions grant access; restrictions on a page or above it only remove. */
export type Principal = { kind: 'user' | 'group' | 'class'; id: string }

/** One permission in a space, such as `read/space`; if `unproved` it grants nothing. */
export type Grant = { to: Principal; operation: string; unproved?: string }

/** `null` means not restricted. A restriction without existing principals lets no one pass. */
export type Restriction = { read: AnyOf | null; update: AnyOf | null }

/** Who may change pages, or blog posts. */
type Writers = {
  edit: AnyOf
  remove: AnyOf
  /** People who may delete only their own. */
  removeOwn: AnyOf
}

/** The writers are those of pages. */
export type SpacePermissions = Writers & {
  read: AnyOf
  blogPosts: Writers
  /** People exempt from read restrictions; grants nothing else. */
  exempt: AnyOf
  /** Access classes in its grants that Millrace does not know, sorted. */
  unknownClasses: readonly string[]
  /** Why some grants were left out. */
  unproved?: string
}

/** The classes of the wiki's specification; grants to others are dropped. */
const KNOWN_CLASSES = new Set([ANONYMOUS, ...PROVABLE_CLASSES, 'all-product-admins', 'jsm-project-admins'])

/** `superGroup` is exempt from restrictions; Cloud has none. */
export function spacePermissions(
  grants: Iterable<Grant>,
  superGroup: string | null = null,
): SpacePermissions {
  const byOperation = new Map<string, AnyOf>()
  const unknown = new Set<string>()
  let reason: string | undefined
  const operations = new Set<string>()
  for (const { to, operation, unproved } of grants) {
    operations.add(operation)
    reason ??= unproved
    if (unproved) continue
    if (to.kind === 'class' && !KNOWN_CLASSES.has(to.id)) {
      unknown.add(to.id)
      continue
    }
    byOperation.set(operation, union(byOperation.get(operation) ?? anyOf(), toLevel(to)))
  }
  const grantedTo = (operation: string) => byOperation.get(operation) ?? anyOf()
  const administer = grantedTo('administer/space')
  const workflowsWritingTo = (target: 'page' | 'blogpost'): Writers => {
    // If any grant separates editing from creating, permission to create does not include updates.
    const edit = operations.has(`update/${target}`) ? `update/${target}` : `create/${target}`
    const remove = grantedTo(`delete/${target}`)
    return {
      edit: union(grantedTo(edit), administer),
      remove,
      removeOwn: without(grantedTo('delete/space'), remove),
    }
  }
  return {
    read: union(grantedTo('read/space'), administer),
    ...workflowsWritingTo('page'),
    blogPosts: workflowsWritingTo('blogpost'),
    exempt: superGroup ? anyOf([], [superGroup]) : anyOf(),
    unknownClasses: [...unknown].sort(),
    ...(reason ? { unproved: reason } : {}),
  }
}

/** The permissions that count for a page, or for a blog post. */
export function permissionsFor(space: SpacePermissions, kind: 'page' | 'blogpost'): SpacePermissions {
  return kind === 'blogpost' ? { ...space, ...space.blogPosts } : space
}

/** Everything that decides the access to one page. */
export type PageRules = {
  space: SpacePermissions
  /** Read restrictions from the top of the space down to the page's own. */
  restrictions: AllOf
  update: AnyOf | null
  creator: string | null
}

/** The groups and people `accessOf` needs loaded. */
export function neededFor(rules: PageRules): { groups: Set<string>; users: Set<string> } {
  const { removeOwn } = rules.space
  const groups = new Set(removeOwn.groups)
  const users = new Set<string>()
  if (PROVABLE_CLASSES.some((name) => removeOwn.classes.has(name)) && rules.creator) users.add(rules.creator)
  // Covers both cases: the creator may delete the page, or may not.
  for (const creator of [rules.creator, null]) {
    for (const levels of [...Object.values(levelsOf(rules, creator)), mergedLevels(readLevels(rules))]) {
      const more = directoryLookups(levels)
      for (const group of more.groups) groups.add(group)
      for (const user of more.users) users.add(user)
    }
  }
  return { groups, users }
}

export function accessOf(rules: PageRules, directory: Directory): Access {
  const { space, creator } = rules
  const owner = creator !== null && satisfies(space.removeOwn, creator, directory) ? creator : null
  const levels = levelsOf(rules, owner)
  const read = flatten(levels.read, directory)
  const update = flatten(levels.update, directory)
  const remove = flatten(levels.remove, directory)
  const unread = new Set([
    ...[read, update, remove].flatMap(({ unresolved }) => unresolved),
    ...flatten(mergedLevels(levels.read), directory).unresolved,
    ...(owner ? [] : [...space.removeOwn.groups].filter((group) => creator && !directory.members(group))),
  ])
  const unresolved =
    unprovedReason([...unread], Object.values(levels), directory) ??
    (creator && !owner ? creatorReason(space.removeOwn, creator, directory) : null)
  const unproved = [unknownClassReason(space.unknownClasses), space.unproved, unresolved]
    .filter((reason) => reason)
    .join('; ')
  return {
    permissions: [
      { read: toPrincipals(read.who) },
      { update: toPrincipals(update.who) },
      { delete: toPrincipals(remove.who) },
    ],
    clauses: clauses(levels.read, directory),
    ...(unproved ? { unproved } : {}),
    ...(space.unknownClasses.length > 0 ? { unknownClasses: space.unknownClasses } : {}),
  }
}

/** A listing compares with this text to count the reason separately. */
export function unknownClassReason(names: readonly string[]): string | null {
  return names.length > 0 ? `the access class ${names.join(', ')} is unknown` : null
}

export function grantNoOne(unproved: string): Access {
  return { ...NO_ACCESS, unproved }
}

type Levels = { read: AnyOf[]; update: AnyOf[]; remove: AnyOf[] }

function levelsOf(rules: PageRules, owner: string | null): Levels {
  const { space, restrictions, update } = rules
  const editing = [space.read, ...restrictions, space.edit, ...(update ? [update] : [])]
  const removing = owner ? union(space.remove, anyOf([owner])) : space.remove
  return { read: readLevels(rules), update: editing, remove: [...editing, removing] }
}

/** Exempt people are added to every level, because a reader has to pass all. */
function readLevels({ space, restrictions }: PageRules): AnyOf[] {
  const levels = [space.read, ...restrictions]
  return space.exempt.groups.size > 0 ? levels.map((level) => union(level, space.exempt)) : levels
}

/** Why a permission was not granted although it may exist. */
export function unprovedReason(groups: string[], levels: AllOf[], directory: Directory): string | null {
  if (groups.length > 0) return `the members of ${firstAndMore(groups, 'group')} could not be read`
  for (const limits of levels.map(effectiveLevels).filter((list) => list.length > 1)) {
    const everywhere = (name: string) => limits.every((level) => level.classes.has(name))
    const classes = limits.flatMap((level) => [...level.classes])
    const unprovable = classes.find((name) => !PROVABLE_CLASSES.includes(name) && !everywhere(name))
    if (unprovable) return `the members of class ${unprovable} are unknown`
    const provable = PROVABLE_CLASSES.filter((name) => classes.includes(name))
    if (provable.length === 0) continue
    const inGroups = limits.flatMap((level) =>
      [...level.groups].flatMap((id) => [...(directory.members(id) ?? [])]),
    )
    const people = [...new Set([...limits.flatMap((level) => [...level.users]), ...inGroups])]
    const unknownAccounts = people.filter((user) => isUnknownAccount(user, provable, directory))
    if (unknownAccounts.length > 0)
      return `the kind of ${firstAndMore(unknownAccounts, 'account')} could not be read`
  }
  return null
}

/** Why it is unknown whether a creator may delete the page. */
function creatorReason(own: AnyOf, creator: string, directory: Directory): string | null {
  const unknown = [...own.classes].filter((name) => directory.inClass(creator, name) === undefined)
  const unprovable = unknown.find((name) => !PROVABLE_CLASSES.includes(name))
  if (unprovable) return `the members of class ${unprovable} are unknown`
  return isUnknownAccount(creator, unknown, directory)
    ? `the kind of ${firstAndMore([creator], 'account')} could not be read`
    : null
}

function isUnknownAccount(user: string, classes: string[], directory: Directory): boolean {
  return !directory.isIgnored(user) && classes.some((name) => directory.inClass(user, name) === undefined)
}

function firstAndMore(ids: string[], noun: string): string {
  const [first = ''] = ids
  return ids.length === 1 ? `${noun} ${first}` : `${noun} ${first} and ${ids.length - 1} more`
}

function toLevel({ kind, id }: Principal): AnyOf {
  if (kind === 'user') return anyOf([id])
  return kind === 'group' ? anyOf([], [id]) : anyOf([], [], [id])
}

function without(level: AnyOf, other: AnyOf): AnyOf {
  if (other.classes.has(ANONYMOUS)) return anyOf()
  const rest = (kind: keyof AnyOf) => [...level[kind]].filter((id) => !other[kind].has(id))
  return anyOf(rest('users'), rest('groups'), rest('classes'))
}
