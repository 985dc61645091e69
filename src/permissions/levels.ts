import { CLAUSE_NAMES, mergedLevels } from './algebra.ts'
import {
  ANONYMOUS,
  type AnyOf,
  AUTHENTICATED,
  admittingTokens,
  type Belonging,
  LICENSED,
  NO_ONE_TOKEN,
  type PermissionsData,
  type Principals,
} from './principals.ts'

/** The permissions of a document in both forms that its elements carry. */
export type Access = {
  permissions: PermissionsData
  /** `c0` is the scope, then each restricted level; see `clauses`. */
  clauses: Record<string, string[]>
  /** What the scope and each restricted level are, in the order of the clauses; levels that share a clause included. */
  levels?: readonly LevelName[]
  /** Documents with equal sets have equal access. */
  set?: PermissionSet
  /** Why a permission could not be proved and grants no access. */
  unproved?: string
  /** Access classes that this version does not know; they grant no access. */
  unknownClasses?: readonly string[]
}

/** `kind` is the source's word for it, such as `space`, `folder` or `page`. */
export type LevelName = { kind: string; id: string; title: string }

/** Identifies the levels that decide, not what they grant, so that a changed level keeps its set. */
export type PermissionSet = {
  site: string
  /** An id that no later scope of the site gets: a key may be given again. */
  scope: string
  /** Ids of the levels below the scope, from the top down. */
  levels: readonly string[]
  /** What else tells documents below the same levels apart, such as an owner who may delete. */
  own?: Readonly<Record<string, string>>
}

export const NO_ACCESS: Access = {
  permissions: [
    { read: { users: [], groups: [] } },
    { update: { users: [], groups: [] } },
    { delete: { users: [], groups: [] } },
  ],
  clauses: { c0: [NO_ONE_TOKEN] },
}

/** A level as it is stored. A source that does not name its levels leaves kind, id and title null. */
export type StoredLevel = {
  kind: string | null
  id: string | null
  title: string | null
  /** A reader needs one of these tokens; null if the level shares the clause of the level above. */
  who: string[] | null
}
export type StoredAccess = { permissions: PermissionsData; levels: StoredLevel[] }

/** Documents without a set may share a row with others, so it names no levels of theirs. */
export function storeAccess({ permissions, clauses, levels = [], set }: Access): StoredAccess {
  // Without a first clause no one may read.
  const lists = clauses.c0 ? Object.keys(clauses).sort() : []
  const shared = Math.max(0, mergedLevels(levels).length - 1)
  const isNamed = set !== undefined && levels.length - shared === lists.length
  const names = isNamed ? levels : lists.map(() => ({ kind: null, id: null, title: null }))
  return {
    permissions,
    levels: names.map(({ kind, id, title }, at) => ({
      kind,
      id,
      title,
      who: clauses[lists[at] ?? ''] ?? null,
    })),
  }
}

/** A row without levels grants no access. */
export function readAccess({ permissions, levels }: StoredAccess): Access {
  return Array.isArray(levels) ? { permissions, clauses: clausesOf(levels) } : NO_ACCESS
}

/** A level without a list lets no one pass, unless it shares the last clause. */
export function clausesOf(levels: readonly StoredLevel[]): Record<string, string[]> {
  const lists = levels.flatMap(({ who }, at) => {
    if (who && who.length > 0) return [who]
    return who === null && at >= CLAUSE_NAMES.length ? [] : [[NO_ONE_TOKEN]]
  })
  return Object.fromEntries(lists.map((who, at) => [`c${at}`, who]))
}

/**
 * Admits whom both admit, for documents below the same levels. Nobody else: where the form is too small, it admits fewer.
 */
export function bothAccesses(a: StoredAccess, b: StoredAccess): StoredAccess {
  const isAlike =
    Array.isArray(a.levels) &&
    a.levels.length === b.levels.length &&
    a.levels.every(({ who }, at) => !who === !b.levels[at]?.who)
  if (!isAlike) return storeAccess(NO_ACCESS)
  const levels: StoredLevel[] = []
  const added: StoredLevel[] = []
  for (const [at, level] of a.levels.entries()) {
    const [first, second] = [level.who, b.levels[at]?.who ?? null]
    if (!first || !second) levels.push(level)
    else {
      const inBoth = onlyIn(first, second)
      const isNested = inBoth.length === first.length || inBoth.length === second.length
      const hasRoom = a.levels.length + added.length < CLAUSE_NAMES.length
      if (!isNested && hasRoom) added.push({ ...level, who: second })
      levels.push({ ...level, who: isNested || !hasRoom ? inBoth : first })
    }
  }
  return { permissions: bothPermissions(a.permissions, b.permissions), levels: [...levels, ...added] }
}

/** The flat form has no AND: an account keeps its entry where the other form admits a class, which may include it. */
function bothPermissions(a: PermissionsData, b: PermissionsData): PermissionsData {
  const both = (first: Principals, second: Principals): Principals => {
    const others = new Set(second.access_classes)
    const isCovered = (name: string) =>
      others.has(name) || others.has(ANONYMOUS) || (name === LICENSED && others.has(AUTHENTICATED))
    const classes = (first.access_classes ?? []).filter(isCovered)
    return {
      users: others.size > 0 ? first.users : onlyIn(first.users, second.users),
      groups: others.size > 0 ? first.groups : onlyIn(first.groups, second.groups),
      ...(classes.length > 0 ? { access_classes: classes } : {}),
    }
  }
  return [
    { read: both(a[0].read, b[0].read) },
    { update: both(a[1].update, b[1].update) },
    { delete: both(a[2].delete, b[2].delete) },
  ]
}

function onlyIn(list: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return list.filter((each) => known.has(each))
}

/** A level as a document shows it: for a page the level `page` is its own, and `ancestor` any between it and the space. */
export type ShownLevel = { level: 'space' | 'ancestor' | 'page'; id: string; title: string | null }
/** The id is null if the source does not name the level, or if several levels share its clause. */
export type RestrictedLevel = Omit<ShownLevel, 'id'> & { id: string | null; who: string[] }

export type PlacedDocument = {
  recordId: string
  title: string
  space: { key: string; name: string }
  ancestors: readonly { id: string; title: string }[]
}

/** `who` is null if nothing is restricted; a level that is `unread` lets no one pass. */
export type LevelRule = { who: AnyOf | null } | { unread: string }

/** Whether a person passes a level, and by which of their tokens. */
export function evaluate(rule: LevelRule, person: Belonging): { satisfied: boolean; by: string[] } {
  if ('unread' in rule) return { satisfied: false, by: [] }
  const by = rule.who ? admittingTokens(rule.who, person) : []
  return { satisfied: rule.who === null || by.length > 0, by }
}

/** The levels that a reader of the document has to pass, from its scope down. */
export function restrictedLevels(
  levels: readonly StoredLevel[],
  document: PlacedDocument,
): RestrictedLevel[] {
  const own = ownLevel(document)
  return levels.flatMap(({ id, title, who }, at): RestrictedLevel[] => {
    if (!who) return []
    if (at === 0 || (id !== null && id === levels[0]?.id)) return [{ ...scopeLevel(document), who }]
    if (levels[at + 1]?.who === null) return [{ level: 'ancestor', id: null, title: null, who }]
    if (id === own.id) return [{ ...own, who }]
    const ancestor = document.ancestors.find((each) => each.id === id)
    return [{ level: 'ancestor', id, title: ancestor?.title ?? title, who }]
  })
}

/** All levels between a reader and the document, restricted or not. */
export function levelChain(
  levels: readonly Omit<StoredLevel, 'who'>[],
  document: PlacedDocument,
): (ShownLevel & { isRestricted: boolean })[] {
  const own = ownLevel(document)
  const restricted = new Map(levels.slice(1).flatMap(({ id, title }) => (id === null ? [] : [[id, title]])))
  const known = new Set([own.id, ...document.ancestors.map(({ id }) => id)])
  const others = [...restricted].filter(([id]) => !known.has(id)).map(([id, title]) => ({ id, title }))
  const above = [...document.ancestors, ...others].map(
    ({ id, title }): ShownLevel => ({ level: 'ancestor', id, title }),
  )
  return [
    { ...scopeLevel(document), isRestricted: true },
    ...[...above, own].map((each) => ({ ...each, isRestricted: restricted.has(each.id) })),
  ]
}

/** The document itself, also for a level that cannot be named. */
export function ownLevel({ recordId, title }: Pick<PlacedDocument, 'recordId' | 'title'>): ShownLevel {
  return { level: 'page', id: recordId.slice(recordId.lastIndexOf('/') + 1), title }
}

function scopeLevel({ space: { key, name } }: PlacedDocument): ShownLevel {
  return { level: 'space', id: key, title: name }
}
