import { inClass, isIgnored, type Account as WikiAccount } from '../../src/connectors/wiki/access/accounts.ts'
import {
  accessOf,
  type Grant,
  grantNoOne,
  neededFor,
  type PageRules,
  spacePermissions,
} from '../../src/connectors/wiki/access/permissions.ts'
import { lineages, type TreeNode } from '../../src/connectors/wiki/access/tree.ts'
import type { Directory } from '../../src/permissions/algebra.ts'
import type { Access } from '../../src/permissions/levels.ts'
import { type AnyOf, anyOf, siteNaming } from '../../src/permissions/principals.ts'
import { type Resolver, SITE } from './comparison.ts'
import type { OracleNode, RawWiki, RestrictionNames, Unreadable } from './random-wiki.ts'
import { asWikiAccount, type Describe } from './readers.ts'

/** How a deliberately broken resolver differs from the real one. */
export type ResolverBug = {
  /** Treats an unreadable restriction as none. */
  ignoresUnreadable?: boolean
  restriction?: (names: RestrictionNames, node: OracleNode) => AnyOf | null
  rules?: (rules: PageRules, page: OracleNode, wiki: RawWiki) => PageRules
  directory?: (directory: Directory, wiki: RawWiki) => Directory
  written?: (access: Access, rules: PageRules, wiki: RawWiki) => Access
  /** Describes accounts wrongly. */
  describe?: Describe
}

/** The resolver under test, with the inputs that the connector gives it. */
export function resolverOf(bug: ResolverBug = {}): Resolver {
  const resolve: Resolver = (wiki, unreadable) => {
    const rulesOf = collectRules(wiki, unreadable, bug)
    return (page) => {
      const rules = rulesOf(page)
      if (typeof rules === 'string') return grantNoOne(rules)
      const known = directoryOf(wiki, unreadable, neededFor(rules))
      const access = accessOf(rules, bug.directory?.(known, wiki) ?? known)
      return bug.written?.(access, rules, wiki) ?? access
    }
  }
  return bug.describe ? Object.assign(resolve, { describe: bug.describe }) : resolve
}

/** Null if nothing is restricted; entries without an id restrict and admit no one. */
export function asRestriction({ users, groups, lost }: RestrictionNames): AnyOf | null {
  return users.length + groups.length + lost === 0 ? null : anyOf(users, groups)
}

function collectRules(
  wiki: RawWiki,
  unreadable: Unreadable,
  bug: ResolverBug,
): (page: OracleNode) => PageRules | string {
  const restriction = bug.restriction ?? asRestriction
  const isUnread = (id: string) => unreadable.restrictions.includes(id)
  const byId = new Map(wiki.nodes.map((node) => [node.id, node]))
  const lineageOf = lineages(new Map(wiki.nodes.map((node) => [node.id, asNode(node, byId)])), {
    read: (id) => (isUnread(id) ? null : restriction(byId.get(id)!.read, byId.get(id)!)),
    unread: (id) =>
      isUnread(id) && !bug.ignoresUnreadable ? `the restrictions of ${id} are unreadable` : null,
  })
  const space = spacePermissions(grantsOf(wiki), wiki.superGroup)
  return (page) => {
    if (unreadable.grants) return 'the permissions of the space are unreadable'
    const { restrictions, unproved } = lineageOf(page.id)
    if (unproved) return unproved
    const rules = { space, restrictions, update: restriction(page.update, page), creator: page.creator }
    return bug.rules?.(rules, page, wiki) ?? rules
  }
}

export function grantsOf(wiki: RawWiki): Grant[] {
  return wiki.grants.map(({ kind, id, operation }) => ({ to: { kind, id }, operation }))
}

function asNode({ id, parent }: OracleNode, byId: Map<string, OracleNode>): TreeNode {
  return { id, title: id, parent: parent === null ? null : { id: parent, type: byId.get(parent)!.kind } }
}

/** Groups come with the kinds of their members; a deleted group has none. */
function directoryOf(
  wiki: RawWiki,
  unreadable: Unreadable,
  wanted: { groups: Set<string>; users: Set<string> },
): Directory {
  const members = new Map(
    wiki.groups
      .filter(({ id }) => wanted.groups.has(id) && !unreadable.members.includes(id))
      .map((group) => [group.id, new Set(group.deleted ? [] : group.members)]),
  )
  const accountOf = (user: string): WikiAccount | undefined => {
    const account = wiki.accounts.find(({ id }) => id === user)
    if (!account || !known.has(user) || unreadable.kinds.includes(user)) return undefined
    return asWikiAccount(account)
  }
  const known = new Set([...wanted.users, ...[...members.values()].flatMap((each) => [...each])])
  return {
    members: (group) => members.get(group),
    naming: siteNaming(SITE, 'per site'),
    inClass: (user, name) => {
      const account = accountOf(user)
      return account && inClass(account, name)
    },
    isIgnored: (user) => {
      const account = accountOf(user)
      return account !== undefined && isIgnored(account)
    },
  }
}
