import { type AnyOf, anyOf, toPrincipals } from '../../src/access.ts'
import type { SpaceRights } from '../../src/connectors/wiki/permissions.ts'
import type { RawWiki } from './random-wiki.ts'
import { asRestriction, type Twist } from './resolvers.ts'

/**
 * Resolvers broken on purpose, most of them as some real system is: what the comparison is itself tested with.
 * `errs` is the side on which each goes wrong.
 */
export type Broken = { errs: 'too many' | 'too few'; twist: Twist }

const EVERYBODY = anyOf([], [], ['anonymous-users'])

export const broken: Record<string, Broken> = {
  'the nearest restricted level alone counts': {
    errs: 'too many',
    twist: { standing: (standing) => ({ ...standing, above: standing.above.slice(-1) }) },
  },
  "a page's own restriction replaces the space's rights": {
    errs: 'too many',
    twist: {
      standing: (standing, page) =>
        asRestriction(page.read) ? { ...standing, rights: readableByAll(standing.rights) } : standing,
    },
  },
  'lists are cut as words, without the members of groups': {
    errs: 'too few',
    twist: {
      written: (access, { rights, above }) => {
        const read = toPrincipals([rights.read, ...above].reduce(commonWords))
        return { ...access, permissions: [{ read }, access.permissions[1], access.permissions[2]] }
      },
    },
  },
  'an empty restriction lets nobody pass': {
    errs: 'too few',
    twist: { restriction: ({ users, groups }) => anyOf(users, groups) },
  },
  'an update restriction limits reading': {
    errs: 'too few',
    twist: {
      standing: (standing) =>
        standing.update ? { ...standing, above: [...standing.above, standing.update] } : standing,
    },
  },
  'whoever made a page may delete it': {
    errs: 'too many',
    twist: {
      standing: (standing) => ({ ...standing, rights: { ...standing.rights, removeOwn: EVERYBODY } }),
    },
  },
  'a group that cannot be read has everybody in it': {
    errs: 'too many',
    twist: {
      directory: (known, wiki) => ({
        ...known,
        members: (group) => known.members(group) ?? new Set(wiki.accounts.map(({ id }) => id)),
      }),
    },
  },
  'apps and customers count as licensed': {
    errs: 'too many',
    twist: { directory: (known) => ({ ...known, isPerson: () => true }) },
  },
  'an account of unknown kind counts as a person': {
    errs: 'too many',
    twist: { directory: (known) => ({ ...known, isPerson: (user) => known.isPerson(user) ?? true }) },
  },
  'folders above a page do not count': {
    errs: 'too many',
    twist: { restriction: (names, { kind }) => (kind === 'folder' ? null : asRestriction(names)) },
  },
  'administrators of the space pass every restriction': {
    errs: 'too many',
    twist: {
      written: (access, _, wiki) => {
        const { read: before } = access.permissions[0]
        const users = [...before.users, ...administrators(wiki, 'user')]
        const groups = [...before.groups, ...administrators(wiki, 'group')]
        const read = { ...before, users, groups }
        return { ...access, permissions: [{ read }, access.permissions[1], access.permissions[2]] }
      },
    },
  },
  'restrictions stop the super-group': {
    errs: 'too few',
    twist: {
      standing: (standing) => ({ ...standing, rights: { ...standing.rights, overseers: anyOf() } }),
    },
  },
  'the super-group edits whatever it reads': {
    errs: 'too many',
    twist: {
      written: (access, { rights }) => {
        const [{ read }, { update: before }, remove] = access.permissions
        const update = { ...before, groups: [...before.groups, ...rights.overseers.groups] }
        return { ...access, permissions: [{ read }, { update }, remove] }
      },
    },
  },
  'a restriction whose principals are gone is none': {
    errs: 'too many',
    twist: { restriction: (names) => asRestriction({ ...names, lost: 0 }) },
  },
  'a restriction that cannot be read is none': {
    errs: 'too many',
    twist: { overlooksUnread: true },
  },
  'nobody is an empty clause': {
    errs: 'too many',
    twist: { written: (access) => ({ ...access, clauses: withoutNobody(access.clauses) }) },
  },
  'clauses beyond the eighth are left out': {
    errs: 'too many',
    twist: {
      written: (access, { above }) => {
        const { c7: _, ...rest } = access.clauses
        return above.length > 7 ? { ...access, clauses: rest } : access
      },
    },
  },
}

function readableByAll(rights: SpaceRights): SpaceRights {
  return { ...rights, read: EVERYBODY }
}

function commonWords(a: AnyOf, b: AnyOf): AnyOf {
  const common = (kind: keyof AnyOf) => [...a[kind]].filter((id) => b[kind].has(id))
  return anyOf(common('users'), common('groups'), common('classes'))
}

function withoutNobody(clauses: Record<string, string[]>): Record<string, string[]> {
  const isSomebody = (entry: string) => entry.includes(':')
  return Object.fromEntries(Object.entries(clauses).map(([name, list]) => [name, list.filter(isSomebody)]))
}

function administrators(wiki: RawWiki, kind: 'user' | 'group'): string[] {
  return wiki.rights
    .filter((right) => right.kind === kind && right.operation === 'administer/space')
    .map(({ id }) => id)
}
