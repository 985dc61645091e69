import { CLAUSE_NAMES, mergedLevels } from './algebra.ts'
import {
  type AnyOf,
  admittingTokens,
  type Belonging,
  NO_ONE_TOKEN,
  type PermissionsData,
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

/** A level as a document shows it: for a page the level `page` is its own, and `ancestor` any between it and the space. */
export type ShownLevel = { level: 'space' | 'ancestor' | 'page'; id: string; title: string | null }
/** The id is null if the source does not name the level, or if several levels share its clause. */
export type RestrictedLevel = Omit<ShownLevel, 'id'> & { id: string | null; who: string[] }

export type PlacedDocument = {
  recordId: string
  title: string
  scope: string
  scopeName: string
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
  return levels.flatMap((level, at): RestrictedLevel[] => {
    const { id, title, who } = level
    if (!who) return []
    if (at === 0 || isSameLevel(level, levels[0])) return [{ ...scopeLevel(document), who }]
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
  const below = levels.slice(1).filter((each) => !isSameLevel(each, levels[0]))
  const restricted = new Map(below.flatMap(({ id, title }) => (id === null ? [] : [[id, title]])))
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

/** A level has several lists while documents wait for a listing; see `intersectAccess`. */
export function isSameLevel(a: Omit<StoredLevel, 'who'>, b: Omit<StoredLevel, 'who'> | undefined): boolean {
  return a.id !== null && a.id === b?.id && a.kind === b.kind
}

/** The document itself, also for a level that cannot be named. */
export function ownLevel({ recordId, title }: Pick<PlacedDocument, 'recordId' | 'title'>): ShownLevel {
  return { level: 'page', id: recordId.slice(recordId.lastIndexOf('/') + 1), title }
}

function scopeLevel({ scope, scopeName }: PlacedDocument): ShownLevel {
  return { level: 'space', id: scope, title: scopeName }
}
