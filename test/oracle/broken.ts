import { type SpacePermissions, spacePermissions } from '../../src/connectors/wiki/access/permissions.ts'
import type { Directory } from '../../src/permissions/algebra.ts'
import { type AnyOf, anyOf, toPrincipals, UNQUALIFIED_NAMING } from '../../src/permissions/principals.ts'
import type { Kind, RawWiki } from './random-wiki.ts'
import { asRestriction, grantsOf, type ResolverBug } from './resolvers.ts'

/** Resolvers with deliberate bugs, to test the comparison. */
export type BrokenResolver = { grants: 'too many' | 'too few'; bug: ResolverBug }

const EVERYONE = anyOf([], [], ['anonymous-users'])

export const brokenResolvers: Record<string, BrokenResolver> = {
  'the nearest restricted level alone counts': {
    grants: 'too many',
    bug: { rules: (rules) => ({ ...rules, restrictions: rules.restrictions.slice(-1) }) },
  },
  "a page's own restriction replaces the space's permissions": {
    grants: 'too many',
    bug: {
      rules: (rules, page) =>
        asRestriction(page.read) ? { ...rules, space: readableByAll(rules.space) } : rules,
    },
  },
  'lists are intersected by entry, without the members of groups': {
    grants: 'too few',
    bug: {
      written: (access, { space, restrictions }) => {
        const read = toPrincipals([space.read, ...restrictions].reduce(commonEntries))
        return { ...access, permissions: [{ read }, access.permissions[1], access.permissions[2]] }
      },
    },
  },
  'an empty restriction admits no one': {
    grants: 'too few',
    bug: { restriction: ({ users, groups }) => anyOf(users, groups) },
  },
  'an update restriction limits reading': {
    grants: 'too few',
    bug: {
      rules: (rules) =>
        rules.update ? { ...rules, restrictions: [...rules.restrictions, rules.update] } : rules,
    },
  },
  'the creator of a page may always delete it': {
    grants: 'too many',
    bug: {
      rules: (rules) => ({ ...rules, space: { ...rules.space, removeOwn: EVERYONE } }),
    },
  },
  'a group that cannot be read contains everyone': {
    grants: 'too many',
    bug: {
      directory: (known, wiki) => ({
        ...known,
        members: (group) => known.members(group) ?? new Set(wiki.accounts.map(({ id }) => id)),
      }),
    },
  },
  'apps and customers count as licensed': {
    grants: 'too many',
    bug: { directory: withClass((_, kind) => kind === 'app' || kind === 'customer') },
  },
  'guests count as licensed': {
    grants: 'too many',
    bug: { directory: withClass((name, kind) => name === 'all-licensed-users' && kind === 'guest') },
  },
  'guests count as authenticated': {
    grants: 'too many',
    bug: { directory: withClass((name, kind) => name === 'authenticated-users' && kind === 'guest') },
  },
  'accounts without the product keep their grants and groups': {
    grants: 'too many',
    bug: { describe: (account) => ({ ...account, licensed: account.type === 'atlassian' }) },
  },
  'customers keep their grants and groups': {
    grants: 'too many',
    bug: {
      describe: (account) =>
        account.type === 'customer' ? { ...account, type: 'app', licensed: true } : account,
    },
  },
  'guests need a licence for their grants': {
    grants: 'too few',
    bug: {
      describe: (account) => (account.guest ? { ...account, guest: false, licensed: false } : account),
    },
  },
  'only licensed users count as authenticated': {
    grants: 'too few',
    bug: {
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
    grants: 'too few',
    bug: { directory: (known) => ({ ...known, isIgnored: () => true }) },
  },
  'names of groups have no site': {
    grants: 'too few',
    bug: { directory: (known) => ({ ...known, naming: UNQUALIFIED_NAMING }) },
  },
  'creating pages permits updates where roles separate them': {
    grants: 'too many',
    bug: {
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
    grants: 'too many',
    bug: {
      directory: (known) => ({ ...known, inClass: (user, name) => known.inClass(user, name) ?? true }),
    },
  },
  'folders above a page do not count': {
    grants: 'too many',
    bug: { restriction: (names, { kind }) => (kind === 'folder' ? null : asRestriction(names)) },
  },
  'administrators of the space pass every restriction': {
    grants: 'too many',
    bug: {
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
    grants: 'too few',
    bug: {
      rules: (rules) => ({ ...rules, space: { ...rules.space, exempt: anyOf() } }),
    },
  },
  'the super-group may edit every page that it reads': {
    grants: 'too many',
    bug: {
      written: (access, { space }) => {
        const [{ read }, { update: before }, remove] = access.permissions
        const update = { ...before, groups: [...before.groups, ...space.exempt.groups] }
        return { ...access, permissions: [{ read }, { update }, remove] }
      },
    },
  },
  'a restriction whose principals are gone is none': {
    grants: 'too many',
    bug: { restriction: (names) => asRestriction({ ...names, lost: 0 }) },
  },
  'a restriction that cannot be read is none': {
    grants: 'too many',
    bug: { ignoresUnreadable: true },
  },
  'no one is an empty clause': {
    grants: 'too many',
    bug: { written: (access) => ({ ...access, clauses: withoutNoOne(access.clauses) }) },
  },
  'clauses beyond the eighth are left out': {
    grants: 'too many',
    bug: {
      written: (access, { restrictions }) => {
        const { c7: _, ...rest } = access.clauses
        return restrictions.length > 7 ? { ...access, clauses: rest } : access
      },
    },
  },
}

function readableByAll(grants: SpacePermissions): SpacePermissions {
  return { ...grants, read: EVERYONE }
}

function commonEntries(a: AnyOf, b: AnyOf): AnyOf {
  const common = (kind: keyof AnyOf) => [...a[kind]].filter((id) => b[kind].has(id))
  return anyOf(common('users'), common('groups'), common('classes'))
}

function withoutNoOne(clauses: Record<string, string[]>): Record<string, string[]> {
  const isPrincipal = (entry: string) => entry.includes(':')
  return Object.fromEntries(Object.entries(clauses).map(([name, list]) => [name, list.filter(isPrincipal)]))
}

function administrators(wiki: RawWiki, kind: 'user' | 'group'): string[] {
  return wiki.grants
    .filter((grant) => grant.kind === kind && grant.operation === 'administer/space')
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
