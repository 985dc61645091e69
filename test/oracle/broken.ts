import { type AnyOf, anyOf, BARE, type Directory, toPrincipals } from '../../src/access.ts'
import { type SpacePermissions, spacePermissions } from '../../src/connectors/wiki/access/permissions.ts'
import type { Kind, RawWiki } from './random-wiki.ts'
import { asRestriction, grantsOf, type ResolverBug } from './resolvers.ts'

/**
 * Resolvers with deliberate bugs, most of them seen in real systems, that test the comparison. `errs` is the side on
 * which each is wrong.
 */
export type Broken = { errs: 'too many' | 'too few'; twist: ResolverBug }

const EVERYBODY = anyOf([], [], ['anonymous-users'])

export const broken: Record<string, Broken> = {
  'the nearest restricted level alone counts': {
    errs: 'too many',
    twist: { rules: (rules) => ({ ...rules, above: rules.above.slice(-1) }) },
  },
  "a page's own restriction replaces the space's rights": {
    errs: 'too many',
    twist: {
      rules: (rules, page) =>
        asRestriction(page.read) ? { ...rules, space: readableByAll(rules.space) } : rules,
    },
  },
  'lists are cut as words, without the members of groups': {
    errs: 'too few',
    twist: {
      written: (access, { space, above }) => {
        const read = toPrincipals([space.read, ...above].reduce(commonWords))
        return { ...access, permissions: [{ read }, access.permissions[1], access.permissions[2]] }
      },
    },
  },
  'an empty restriction admits no one': {
    errs: 'too few',
    twist: { restriction: ({ users, groups }) => anyOf(users, groups) },
  },
  'an update restriction limits reading': {
    errs: 'too few',
    twist: {
      rules: (rules) => (rules.update ? { ...rules, above: [...rules.above, rules.update] } : rules),
    },
  },
  'the creator of a page may always delete it': {
    errs: 'too many',
    twist: {
      rules: (rules) => ({ ...rules, space: { ...rules.space, removeOwn: EVERYBODY } }),
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
    twist: { directory: withClass((_, kind) => kind === 'app' || kind === 'customer') },
  },
  'guests count as licensed': {
    errs: 'too many',
    twist: { directory: withClass((name, kind) => name === 'all-licensed-users' && kind === 'guest') },
  },
  'guests count as authenticated': {
    errs: 'too many',
    twist: { directory: withClass((name, kind) => name === 'authenticated-users' && kind === 'guest') },
  },
  'unlicensed accounts count as licensed': {
    errs: 'too many',
    twist: { directory: withClass((name, kind) => name === 'all-licensed-users' && kind === 'unlicensed') },
  },
  'only licensed users count as authenticated': {
    errs: 'too few',
    twist: {
      directory: (known) => ({
        ...known,
        inClass: (user, name) =>
          name === 'authenticated-users'
            ? known.inClass(user, 'all-licensed-users')
            : known.inClass(user, name),
      }),
    },
  },
  'a group with a deactivated member is resolved to no one': {
    errs: 'too few',
    twist: { directory: (known) => ({ ...known, isInactive: () => true }) },
  },
  'names of groups hold no site': {
    errs: 'too few',
    twist: { directory: (known) => ({ ...known, naming: BARE }) },
  },
  'creating pages permits updates where roles separate them': {
    errs: 'too many',
    twist: {
      rules: (rules, _, wiki) => ({
        ...rules,
        space: {
          ...rules.space,
          edit: spacePermissions(grantsOf(wiki).filter(({ operation }) => operation !== 'update/page')).edit,
        },
      }),
    },
  },
  'an account of unknown kind counts as a person': {
    errs: 'too many',
    twist: {
      directory: (known) => ({ ...known, inClass: (user, name) => known.inClass(user, name) ?? true }),
    },
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
      rules: (rules) => ({ ...rules, space: { ...rules.space, overseers: anyOf() } }),
    },
  },
  'the super-group edits whatever it reads': {
    errs: 'too many',
    twist: {
      written: (access, { space }) => {
        const [{ read }, { update: before }, remove] = access.permissions
        const update = { ...before, groups: [...before.groups, ...space.overseers.groups] }
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
  'no one is an empty clause': {
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

function readableByAll(rights: SpacePermissions): SpacePermissions {
  return { ...rights, read: EVERYBODY }
}

function commonWords(a: AnyOf, b: AnyOf): AnyOf {
  const common = (kind: keyof AnyOf) => [...a[kind]].filter((id) => b[kind].has(id))
  return anyOf(common('users'), common('groups'), common('classes'))
}

function withoutNobody(clauses: Record<string, string[]>): Record<string, string[]> {
  const isPrincipal = (entry: string) => entry.includes(':')
  return Object.fromEntries(Object.entries(clauses).map(([name, list]) => [name, list.filter(isPrincipal)]))
}

function administrators(wiki: RawWiki, kind: 'user' | 'group'): string[] {
  return wiki.rights
    .filter((right) => right.kind === kind && right.operation === 'administer/space')
    .map(({ id }) => id)
}

/** Adds accounts of some kind to a class. */
function withClass(counts: (name: string, kind: Kind | undefined) => boolean) {
  return (known: Directory, wiki: RawWiki): Directory => ({
    ...known,
    inClass: (user, name) =>
      counts(name, wiki.accounts.find(({ id }) => id === user)?.kind) || known.inClass(user, name),
  })
}
