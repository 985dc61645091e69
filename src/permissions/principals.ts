/** People, groups and classes that one level names; one of them is enough to pass. */
export type AnyOf = {
  readonly users: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly classes: ReadonlySet<string>
}

export function anyOf(
  users: Iterable<string> = [],
  groups: Iterable<string> = [],
  classes: Iterable<string> = [],
): AnyOf {
  return { users: new Set(users), groups: new Set(groups), classes: new Set(classes) }
}

export const NO_PRINCIPALS: AnyOf = anyOf()

export function union(a: AnyOf, b: AnyOf): AnyOf {
  return anyOf([...a.users, ...b.users], [...a.groups, ...b.groups], [...a.classes, ...b.classes])
}

/** Class names of the source. */
export const ANONYMOUS = 'anonymous-users'
export const LICENSED = 'all-licensed-users'
export const AUTHENTICATED = 'authenticated-users'

/** Classes that an account itself proves. */
export const PROVABLE_CLASSES: readonly string[] = [LICENSED, AUTHENTICATED]

/** Group and class names in `access`; user names are equal everywhere. */
export type Naming = { group(id: string): string; class(name: string): string }

/** Names without a site, for display. */
export const UNQUALIFIED_NAMING: Naming = { group: (id) => id, class: (name) => name }

/** `groups: 'global'` where group ids are unique across sites, as on Cloud. */
export function siteNaming(site: string, groups: 'global' | 'per site'): Naming {
  const withSite = (name: string) => `${site}/${escapeName(name)}`
  return {
    group: groups === 'global' ? UNQUALIFIED_NAMING.group : withSite,
    class: (name) => (name === ANONYMOUS ? name : withSite(name)),
  }
}

/** A slash could name another site's group, and a quote could end a token. */
function escapeName(name: string): string {
  return name.replaceAll(SPECIAL, encodeURIComponent)
}

/** The source's name for a name from a token. */
export function unescapeName(name: string): string {
  return name.replaceAll(/%(?:25|2f|22|5c|2c|[01][0-9a-f]|7f)/gi, decodeURIComponent)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: directories may let one through
const SPECIAL = /[%/"\\,\u0000-\u001f\u007f]/g

export type Principals = { users: string[]; groups: string[]; access_classes?: string[] }
export type PermissionsData = [{ read: Principals }, { update: Principals }, { delete: Principals }]

export function toPrincipals(level: AnyOf): Principals {
  const classes = [...level.classes].sort()
  return {
    users: [...level.users].sort(),
    groups: [...level.groups].sort(),
    ...(classes.length > 0 ? { access_classes: classes } : {}),
  }
}

/** Matches nothing: directories and engines refuse control characters in names. */
export const NO_ONE_TOKEN = '\u0001nobody'

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

/** What a person belongs to, under the source's own names. Without `user`, grants to the person do not count. */
export type Belonging = { user?: string; groups: ReadonlySet<string>; classes: ReadonlySet<string> }

/** The tokens by which a level admits a person, the most direct first. */
export function admittingTokens({ users, groups, classes }: AnyOf, person: Belonging): string[] {
  const { user } = person
  return personTokens(
    {
      ...(user !== undefined && users.has(user) ? { user } : {}),
      groups: [...groups].filter((id) => person.groups.has(id)),
      classes: [...classes].filter((name) => person.classes.has(name)),
    },
    UNQUALIFIED_NAMING,
  )
}

/** The entries of a clause. */
export function levelTokens({ users, groups, classes }: AnyOf, naming: Naming): string[] {
  const people = [...users].map((user) => `user:${user}`)
  const list = [...people, ...personTokens({ groups, classes }, naming)].sort()
  return list.length > 0 ? list : [NO_ONE_TOKEN]
}

export type PrincipalIds = { users: string[]; groups: string[]; classes: string[] }

/** The ids in tokens, under the source's own names. */
export function principalIds(tokens: readonly string[], site: string): PrincipalIds {
  const found: PrincipalIds = { users: [], groups: [], classes: [] }
  for (const token of tokens) {
    const name = token.slice(token.indexOf(':') + 1)
    if (token.startsWith('user:')) found.users.push(name)
    else if (token.startsWith('group:')) found.groups.push(nameWithin(name, site))
    else if (token.startsWith('class:')) found.classes.push(nameWithin(name, site))
  }
  return found
}

/** Tokens of some groups and classes carry the site. */
export function nameWithin(name: string, site: string): string {
  return site !== '' && name.startsWith(`${site}/`) ? unescapeName(name.slice(site.length + 1)) : name
}
