import type { Account, OracleNode, RawWiki, RestrictionNames } from './random-wiki.ts'

/** Decides who may do what from the raw rows. Shares no code with the resolver. */
export type Operation = 'read' | 'update' | 'delete'
export const OPERATIONS: readonly Operation[] = ['read', 'update', 'delete']

export function may(wiki: RawWiki, person: Account, page: OracleNode, operation: Operation): boolean {
  if (isInactive(person)) return false
  if (operation === 'read') return isOverseer(wiki, person) || mayRead(wiki, person, page)
  if (operation === 'update') return mayUpdate(wiki, person, page)
  return mayDelete(wiki, person, page)
}

/** Reads everything, with no other permission. */
function isOverseer(wiki: RawWiki, person: Account): boolean {
  return wiki.superGroup !== null && holdsGroup(wiki, person, wiki.superGroup)
}

/** The space, the page's own restriction and every restricted ancestor allow it. */
function mayRead(wiki: RawWiki, person: Account, page: OracleNode): boolean {
  if (!spaceGrants(wiki, person, 'read/space') && !spaceGrants(wiki, person, 'administer/space')) return false
  for (let node: OracleNode | undefined = page; node; node = parentOf(wiki, node)) {
    if (!passes(wiki, person, node.read)) return false
  }
  return true
}

/** Read, create pages, and the page's own update restriction. */
function mayUpdate(wiki: RawWiki, person: Account, page: OracleNode): boolean {
  if (!mayRead(wiki, person, page)) return false
  if (!mayEdit(wiki, person) && !spaceGrants(wiki, person, 'administer/space')) return false
  return passes(wiki, person, page.update)
}

/** If editing is granted separately, the permission to create does not count. */
function mayEdit(wiki: RawWiki, person: Account): boolean {
  const isSeparate = wiki.grants.some(({ operation }) => operation === 'update/page')
  return spaceGrants(wiki, person, isSeparate ? 'update/page' : 'create/page')
}

/** Update, and the permission to delete pages, or "delete own" for the creator. */
function mayDelete(wiki: RawWiki, person: Account, page: OracleNode): boolean {
  if (!mayUpdate(wiki, person, page)) return false
  if (spaceGrants(wiki, person, 'delete/page')) return true
  return page.creator !== null && isNamed(person, page.creator) && spaceGrants(wiki, person, 'delete/space')
}

function spaceGrants(wiki: RawWiki, person: Account, operation: string): boolean {
  return wiki.grants.some((grant) => {
    if (grant.operation !== operation) return false
    if (grant.kind === 'user') return isNamed(person, grant.id)
    if (grant.kind === 'group') return holdsGroup(wiki, person, grant.id)
    return classesOf(person).includes(grant.id)
  })
}

/** An empty restriction does not restrict; one whose principals are all gone admits no one. */
function passes(wiki: RawWiki, person: Account, names: RestrictionNames): boolean {
  if (names.users.length === 0 && names.groups.length === 0 && names.lost === 0) return true
  if (names.users.some((id) => isNamed(person, id))) return true
  return names.groups.some((group) => holdsGroup(wiki, person, group))
}

/** Without access to the product, neither own grants nor groups count. Guests and apps have access. */
function hasProduct({ kind }: Account): boolean {
  return kind === 'person' || kind === 'guest' || kind === 'app'
}

function isNamed(person: Account, id: string): boolean {
  return hasProduct(person) && person.id === id
}

function holdsGroup(wiki: RawWiki, person: Account, id: string): boolean {
  return hasProduct(person) && isMember(wiki, person, id)
}

/** A deleted group has no members. */
export function isMember(wiki: RawWiki, person: Account, id: string): boolean {
  return wiki.groups.some(
    (group) => group.id === id && !group.deleted && group.members.some((member) => member === person.id),
  )
}

/** Deactivated and closed accounts see nothing, not even what visitors see. */
function isInactive({ kind }: Account): boolean {
  return kind === 'deactivated' || kind === 'closed'
}

/** A guest has own grants, groups and what visitors have. Unlicensed accounts have the classes made for them. */
function classesOf(person: Account): string[] {
  const isSignedIn = person.kind !== 'visitor' && person.kind !== 'guest'
  return [
    'anonymous-users',
    ...(isSignedIn ? ['authenticated-users'] : []),
    ...(person.kind === 'person' ? ['all-licensed-users'] : []),
    ...(hasProduct(person) ? person.classes : []),
  ]
}

function parentOf(wiki: RawWiki, { parent }: OracleNode): OracleNode | undefined {
  return parent === null ? undefined : wiki.nodes.find(({ id }) => id === parent)
}
