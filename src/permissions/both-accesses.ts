import { CLAUSE_NAMES } from './algebra.ts'
import { isSameLevel, NO_ACCESS, type StoredAccess, type StoredLevel, storeAccess } from './levels.ts'
import { ANONYMOUS, AUTHENTICATED, LICENSED, type PermissionsData, type Principals } from './principals.ts'

/**
 * Admits whom both admit, for documents of one set. A level whose lists differ gets two. Where the form has no room, it
 * admits fewer; damaged rows admit no one.
 */
export function bothAccesses(a: StoredAccess, b: StoredAccess): StoredAccess {
  const levels = isWhole(a) && isWhole(b) ? bothLevels(a.levels, b.levels) : null
  if (!levels) return storeAccess(NO_ACCESS)
  return { levels, permissions: bothPermissions(a.permissions, b.permissions) }
}

/** Null if there is no room for a level. */
function bothLevels(a: StoredLevel[], b: StoredLevel[]): StoredLevel[] | null {
  const levels = [...a]
  for (const [at, level] of b.entries()) {
    const found = level.id === null ? at : levels.findIndex((each) => isSameLevel(each, level))
    const match = levels[found]
    const common = match?.who && level.who ? onlyIn(match.who, level.who) : null
    const isNested = common?.length === match?.who?.length || common?.length === level.who?.length
    const hasRoom = levels.length < CLAUSE_NAMES.length
    // A level without a list shares the clause above, so that both need the same levels.
    if (!common && match && !match.who && !level.who) continue
    else if (match && common && (isNested || !hasRoom)) levels[found] = { ...match, who: common }
    else if (hasRoom && level.who) levels.splice(match && level.id ? found + 1 : levels.length, 0, level)
    else return null
  }
  return levels
}

/** The flat form has no AND, so only entries of both stay. */
function bothPermissions(a: PermissionsData, b: PermissionsData): PermissionsData {
  return [
    { read: bothPrincipals(a[0].read, b[0].read) },
    { update: bothPrincipals(a[1].update, b[1].update) },
    { delete: bothPrincipals(a[2].delete, b[2].delete) },
  ]
}

function bothPrincipals(a: Principals, b: Principals): Principals {
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
