import type { PrincipalLists, PrincipalNames } from '../connectors/source.ts'
import { NO_ONE_TOKEN, type PrincipalIds } from '../permissions/principals.ts'
import type { NamedPrincipals } from './shapes/principals.ts'

/** A scope can name thousands. */
const MAX_NAMED = 50

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
