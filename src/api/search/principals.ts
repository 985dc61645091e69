import { NO_ONE_TOKEN, unescapeName } from '../../access.ts'
import type { PrincipalLists, PrincipalNames } from '../../connectors/connector.ts'
import type { NamedPrincipals } from '../shapes/principals.ts'

/** A scope can name thousands. */
const MAX_NAMED = 50

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

/** The first principals, without names of people and groups. */
export function firstPrincipals({ users, groups, classes }: PrincipalIds): NamedPrincipals {
  const shownGroups = groups.slice(0, MAX_NAMED)
  const shownUsers = users.slice(0, MAX_NAMED - shownGroups.length)
  const unnamed = (id: string) => ({ id, name: null })
  return {
    users: shownUsers.map(unnamed),
    groups: shownGroups.map(unnamed),
    classes,
    more: groups.length - shownGroups.length + users.length - shownUsers.length,
  }
}

/** The ids of all these principals, to ask for their names. */
export function principalLists(all: NamedPrincipals[]): PrincipalLists {
  const ids = (kind: 'users' | 'groups') => [
    ...new Set(all.flatMap((each) => each[kind].map(({ id }) => id))),
  ]
  return { users: ids('users'), groups: ids('groups') }
}

export function withNames(principals: NamedPrincipals, names: PrincipalNames): NamedPrincipals {
  const named = (kind: 'users' | 'groups') =>
    principals[kind].map(({ id, name }) => ({ id, name: names[kind].get(id) ?? name }))
  return { ...principals, users: named('users'), groups: named('groups') }
}

/** Words for what a level names. */
export function ruleText(tokens: readonly string[]): string {
  const named = tokens.filter((token) => token !== NO_ONE_TOKEN)
  if (named.length === 0) return 'readable by no one'
  const shown = named.slice(0, MAX_NAMED).join(', ')
  const more = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : ''
  return `readable by ${shown}${more}`
}
