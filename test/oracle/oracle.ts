import type { Account, Names, OracleNode, RawWiki } from './random-wiki.ts'

/**
 * Who may do what, asked for one person and one page at a time and answered from the raw rows, by the plain
 * words of the rules. It resolves nothing, shortens nothing, remembers nothing, and shares no code with what
 * it judges.
 */
export type Operation = 'read' | 'update' | 'delete'
export const OPERATIONS: readonly Operation[] = ['read', 'update', 'delete']

export function may(wiki: RawWiki, person: Account, page: OracleNode, operation: Operation): boolean {
  if (isInactive(person)) return false
  if (operation === 'read') return isOverseer(wiki, person) || mayRead(wiki, person, page)
  if (operation === 'update') return mayUpdate(wiki, person, page)
  return mayDelete(wiki, person, page)
}

/** Reads everything, and has no other right from it. */
function isOverseer(wiki: RawWiki, person: Account): boolean {
  return wiki.superGroup !== null && isMember(wiki, person, wiki.superGroup)
}

/** The space lets them, and the page's own restriction does, and every restricted ancestor's does. */
function mayRead(wiki: RawWiki, person: Account, page: OracleNode): boolean {
  if (!spaceGives(wiki, person, 'read/space') && !spaceGives(wiki, person, 'administer/space')) return false
  for (let node: OracleNode | undefined = page; node; node = parentOf(wiki, node)) {
    if (!passes(wiki, person, node.read)) return false
  }
  return true
}

/** Read, and the right to create pages, and the page's own update restriction; those above do not count. */
function mayUpdate(wiki: RawWiki, person: Account, page: OracleNode): boolean {
  if (!mayRead(wiki, person, page)) return false
  if (!mayEdit(wiki, person) && !spaceGives(wiki, person, 'administer/space')) return false
  return passes(wiki, person, page.update)
}

/** Where editing is granted apart from creating, creating alone does not count. */
function mayEdit(wiki: RawWiki, person: Account): boolean {
  const isApart = wiki.rights.some(({ operation }) => operation === 'update/page')
  return spaceGives(wiki, person, isApart ? 'update/page' : 'create/page')
}

/** Update, and the right to delete pages, or to delete one's own for whoever made the page. */
function mayDelete(wiki: RawWiki, person: Account, page: OracleNode): boolean {
  if (!mayUpdate(wiki, person, page)) return false
  if (spaceGives(wiki, person, 'delete/page')) return true
  return page.creator === person.id && spaceGives(wiki, person, 'delete/space')
}

function spaceGives(wiki: RawWiki, person: Account, operation: string): boolean {
  return wiki.rights.some((right) => {
    if (right.operation !== operation) return false
    if (right.kind === 'user') return right.id === person.id
    if (right.kind === 'group') return isMember(wiki, person, right.id)
    return classesOf(person).includes(right.id)
  })
}

/** An empty restriction restricts nobody; one whose every principal is gone lets nobody pass. */
function passes(wiki: RawWiki, person: Account, names: Names): boolean {
  if (names.users.length === 0 && names.groups.length === 0 && names.lost === 0) return true
  if (names.users.includes(person.id)) return true
  return names.groups.some((group) => isMember(wiki, person, group))
}

/** A deleted group has no members, whoever used to be in it. */
export function isMember(wiki: RawWiki, person: Account, id: string): boolean {
  return wiki.groups.some(
    (group) => group.id === id && !group.deleted && group.members.some((member) => member === person.id),
  )
}

/** Deactivated and closed accounts see nothing, not even what visitors see. */
export function isInactive({ kind }: Account): boolean {
  return kind === 'deactivated' || kind === 'closed'
}

/** A guest has its own grants and groups, and what the anonymous have; only people with a licence are licensed. */
export function classesOf(person: Account): string[] {
  if (isInactive(person)) return []
  const isSignedIn = person.kind !== 'visitor' && person.kind !== 'guest'
  return [
    'anonymous-users',
    ...(isSignedIn ? ['authenticated-users'] : []),
    ...(person.kind === 'person' ? ['all-licensed-users'] : []),
    ...person.classes,
  ]
}

function parentOf(wiki: RawWiki, { parent }: OracleNode): OracleNode | undefined {
  return parent === null ? undefined : wiki.nodes.find(({ id }) => id === parent)
}
