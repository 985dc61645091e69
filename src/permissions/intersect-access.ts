import { CLAUSE_NAMES } from './algebra.ts'
import { isSameLevel, NO_ACCESS, type StoredAccess, type StoredLevel, storeAccess } from './levels.ts'
import { ANONYMOUS, AUTHENTICATED, LICENSED, type PermissionsData, type Principals } from './principals.ts'

/**
 * The intersection of two accesses of one set. A level whose lists differ gets both, one clause each. Where the eight
 * clauses do not suffice, fewer people are admitted; damaged rows admit no one.
 */
export function intersectAccess(a: StoredAccess, b: StoredAccess): StoredAccess {
  const levels = isWhole(a) && isWhole(b) ? commonLevels(a.levels, b.levels) : null
  if (!levels) return storeAccess(NO_ACCESS)
  return { levels, permissions: commonPermissions(a.permissions, b.permissions) }
}

/** Null if a level of `b` does not fit. */
function commonLevels(a: StoredLevel[], b: StoredLevel[]): StoredLevel[] | null {
  const levels = [...a]
  for (const [at, level] of b.entries()) {
    // Unnamed levels correspond by their place, so second lists of such a level come last.
    const place = level.id === null ? at : levels.findIndex((each) => isSameLevel(each, level))
    const known = levels[place]
    const hasRoom = levels.length < CLAUSE_NAMES.length
    if (!known) {
      if (!hasRoom || !level.who) return null
      levels.push(level)
      continue
    }
    const lists = listsOf(known, level, hasRoom)
    if (!lists) return null
    levels[place] = lists[0]
    if (lists[1]) levels.splice(level.id === null ? levels.length : place + 1, 0, lists[1])
  }
  return levels
}

/** What a reader has to pass at a level that both have: one list, or two. */
function listsOf(a: StoredLevel, b: StoredLevel, hasRoom: boolean): [StoredLevel, StoredLevel?] | null {
  // Without a list, a level shares the clause above.
  if (!a.who || !b.who) return !a.who && !b.who ? [a] : null
  const common = onlyIn(a.who, b.who)
  const isNested = common.length === a.who.length || common.length === b.who.length
  return isNested || !hasRoom ? [{ ...a, who: common }] : [a, b]
}

/** The flat form has no AND, so only entries of both stay. */
function commonPermissions(a: PermissionsData, b: PermissionsData): PermissionsData {
  return [
    { read: commonPrincipals(a[0].read, b[0].read) },
    { update: commonPrincipals(a[1].update, b[1].update) },
    { delete: commonPrincipals(a[2].delete, b[2].delete) },
  ]
}

/** Visitors include everyone. Wider classes of `a` than those of `b` are left out, which only admits fewer. */
function commonPrincipals(a: Principals, b: Principals): Principals {
  const others = new Set(b.access_classes)
  if (others.has(ANONYMOUS)) return a
  const isCovered = (name: string) => others.has(name) || (name === LICENSED && others.has(AUTHENTICATED))
  const classes = (a.access_classes ?? []).filter(isCovered)
  return {
    users: onlyIn(a.users, b.users),
    groups: onlyIn(a.groups, b.groups),
    ...(classes.length > 0 ? { access_classes: classes } : {}),
  }
}

function onlyIn(list: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return list.filter((each) => known.has(each))
}

function isWhole({ permissions, levels }: StoredAccess): boolean {
  const lists = [permissions?.[0]?.read, permissions?.[1]?.update, permissions?.[2]?.delete]
  const hasLists = lists.every((each) => Array.isArray(each?.users) && Array.isArray(each.groups))
  return hasLists && Array.isArray(levels) && levels.every(({ who }) => who === null || Array.isArray(who))
}
