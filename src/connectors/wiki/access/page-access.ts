import type { Access } from '../../../access.ts'
import { AppError } from '../../../errors.ts'
import type { PageInfo, Roles, Space, WikiClient } from '../client.ts'
import { loadAncestors, loadMetadata, type SpaceMetadata } from '../listing/page-metadata.ts'
import { type Assumption, type Decision, decideAncestors, nonPageParents } from './ancestors.ts'
import type { WikiDirectory } from './directory.ts'
import {
  accessOf,
  grantNoOne,
  neededFor,
  type PageRules,
  type SpacePermissions,
  spacePermissions,
} from './permissions.ts'
import { type Lineage, lineages, type TreeNode } from './tree.ts'

/** Shared by the pages of one listing. */
export type AccessContext = {
  client: WikiClient
  directory: WikiDirectory
  roles: Promise<Roles>
  files: boolean
  /** Applies below a folder whose restriction the wiki does not prove. */
  unprovedAncestors: Assumption
}

/** The pages of one space with everything that decides their access. */
export type SpaceAccess = {
  nodes: Map<string, TreeNode>
  metadata: SpaceMetadata
  access(row: PageInfo): Access
  /** Set if the setting decided about the folders above a page. */
  assumed(row: PageInfo): { node: TreeNode | undefined; kind: string; reason: string } | null
}

/** Loads ancestors, restrictions and grants; computes the access of a page on demand. */
export async function loadAccess(
  context: AccessContext,
  { space, rows }: { space: Space; rows: PageInfo[] },
  signal: AbortSignal,
): Promise<SpaceAccess> {
  const { client, directory } = context
  const pendingPermissions = spacePermissionsOf(context, space, signal)
  pendingPermissions.catch(() => {})
  const above = await loadAncestors(client, { space, rows }, signal)
  const metadata = await loadMetadata(context, { pages: rows, above }, signal)
  const nodes = new Map<string, TreeNode>([...rows, ...above].map((node) => [node.id, node]))
  const kinds = nonPageParents(nodes.values())
  const permissions = await pendingPermissions
  const lineageOf = lineagesOf(nodes, metadata)
  const tree =
    typeof permissions === 'string' ? null : { space, rows, nodes, read: permissions.read, lineageOf }
  const decisions = tree ? await decideAncestors(context, tree, signal) : new Map<Lineage, Decision>()
  const rules = collectRules({ rows, metadata, permissions, lineageOf, decisions })
  await loadMembers(directory, rules, signal)
  return {
    nodes,
    metadata,
    access: createResolver(rules, directory),
    assumed: (row) => {
      const decision = decisions.get(lineageOf(row.id))
      if (!decision?.assumed) return null
      const { node, assumed } = decision
      return { node: nodes.get(node), kind: kinds.get(node) ?? 'folder', reason: assumed }
    },
  }
}

export function lineagesOf(nodes: Map<string, TreeNode>, { restrictions, unread }: SpaceMetadata) {
  const kinds = nonPageParents(nodes.values())
  return lineages(nodes, {
    read: (id) => restrictions.get(id)?.read ?? null,
    unread: (id) => unread.get(id) ?? null,
    undecided: (id) => kinds.has(id),
  })
}

/** The permissions of a space, or why they are unknown. */
export async function spacePermissionsOf(
  { client, roles }: Pick<AccessContext, 'client' | 'roles'>,
  space: Space,
  signal: AbortSignal,
): Promise<SpacePermissions | string> {
  const grants = await roles.then((known) => client.grants(space, known, signal)).catch(unreadReason)
  if (typeof grants === 'string') return grants
  const permissions = spacePermissions(grants, client.superGroup)
  const { users, groups, classes } = permissions.read
  if (users.size + groups.size + classes.size + permissions.unknownClasses.length > 0) return permissions
  return permissions.unproved ?? `the wiki names no reader of space ${space.key}`
}

function unreadReason(error: unknown): string {
  if (error instanceof AppError && !error.endsJob) return error.message
  throw error
}

type RulesOf = (row: PageInfo) => {
  lineage: Lineage
  rules: PageRules | string
  /** Set if a level may hold fewer people than the wiki allows. */
  unproved?: string
}

/** Pages below the same restrictions share one lineage object. */
function collectRules(listing: {
  rows: PageInfo[]
  metadata: SpaceMetadata
  permissions: SpacePermissions | string
  lineageOf(id: string): Lineage
  decisions: Map<Lineage, Decision>
}): { rows: PageInfo[]; rulesOf: RulesOf } {
  const { rows, metadata, permissions, lineageOf, decisions } = listing
  return {
    rows,
    rulesOf: (row) => {
      const lineage = lineageOf(row.id)
      if (typeof permissions === 'string') return { lineage, rules: permissions }
      if (lineage.unproved) return { lineage, rules: lineage.unproved }
      const update = metadata.restrictions.get(row.id)?.update ?? null
      const decision = decisions.get(lineage)
      const above = decision?.level ? [...lineage.above, decision.level] : lineage.above
      const rules = { space: permissions, above, update, creator: row.author }
      return { lineage, rules, ...(decision?.unproved ? { unproved: decision.unproved } : {}) }
    },
  }
}

async function loadMembers(
  directory: WikiDirectory,
  { rows, rulesOf }: { rows: PageInfo[]; rulesOf: RulesOf },
  signal: AbortSignal,
) {
  const groups = new Set<string>()
  const users = new Set<string>()
  const seen = new Map<Lineage, Set<string>>()
  for (const row of rows) {
    const { lineage, rules } = rulesOf(row)
    if (typeof rules === 'string' || !isNew(seen, lineage, keyOf(row, rules))) continue
    const needs = neededFor(rules)
    for (const group of needs.groups) groups.add(group)
    for (const user of needs.users) users.add(user)
  }
  await directory.load({ groups, users }, signal)
}

/** Computes access once for all pages with the same rules. */
function createResolver(
  { rulesOf }: { rulesOf: RulesOf },
  directory: WikiDirectory,
): (row: PageInfo) => Access {
  const memo = new Map<Lineage, Map<string, Access>>()
  return (row) => {
    const { lineage, rules, unproved } = rulesOf(row)
    if (typeof rules === 'string') return grantNoOne(rules)
    const key = keyOf(row, rules)
    const known = memo.get(lineage) ?? new Map<string, Access>()
    memo.set(lineage, known)
    const access = known.get(key) ?? { ...(unproved ? { unproved } : {}), ...accessOf(rules, directory) }
    known.set(key, access)
    return access
  }
}

/** Pages with the same lineage and key have the same access. */
function keyOf(row: PageInfo, { update, space: { removeOwn } }: PageRules): string {
  const own = removeOwn.users.size + removeOwn.groups.size + removeOwn.classes.size > 0
  return `${update ? row.id : ''}|${own ? row.author : ''}`
}

function isNew(seen: Map<Lineage, Set<string>>, lineage: Lineage, key: string): boolean {
  const keys = seen.get(lineage) ?? new Set()
  seen.set(lineage, keys)
  if (keys.has(key)) return false
  keys.add(key)
  return true
}
