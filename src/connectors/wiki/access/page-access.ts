import type { Access } from '../../../access.ts'
import { AppError } from '../../../errors.ts'
import type { PageInfo, Roles, Space, WikiClient } from '../client.ts'
import { loadAncestors, loadMetadata, type SpaceMetadata } from '../listing/page-metadata.ts'
import { type Assumption, type Decision, decideAncestors, kindsAbove } from './ancestors.ts'
import type { WikiDirectory } from './directory.ts'
import {
  accessOf,
  grantNoOne,
  neededFor,
  type PageStanding,
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
  marked: SpaceMetadata
  access(row: PageInfo): Access
  /** Set if the setting decided about the folders above a page. */
  assumed(row: PageInfo): { node: TreeNode | undefined; kind: string; why: string } | null
}

/** Loads ancestors, restrictions and grants; computes the access of a page on demand. */
export async function loadAccess(
  ground: AccessContext,
  { space, rows }: { space: Space; rows: PageInfo[] },
  signal: AbortSignal,
): Promise<SpaceAccess> {
  const { client, directory } = ground
  const rights = spacePermissionsOf(ground, space, signal)
  rights.catch(() => {})
  const above = await loadAncestors(client, { space, rows }, signal)
  const marked = await loadMetadata(ground, { pages: rows, above }, signal)
  const nodes = new Map<string, TreeNode>([...rows, ...above].map((node) => [node.id, node]))
  const kinds = kindsAbove(nodes.values())
  const known = await rights
  const lineageOf = lineagesOf(nodes, marked)
  const listed = typeof known === 'string' ? null : { space, rows, nodes, read: known.read, lineageOf }
  const decisions = listed ? await decideAncestors(ground, listed, signal) : new Map<Lineage, Decision>()
  const standing = standings({ rows, marked, rights: known, lineageOf, decisions })
  await loadWanted(directory, standing, signal)
  return {
    nodes,
    marked,
    access: resolver(standing, directory),
    assumed: (row) => {
      const decision = decisions.get(lineageOf(row.id))
      if (!decision?.assumed) return null
      const { node, assumed } = decision
      return { node: nodes.get(node), kind: kinds.get(node) ?? 'folder', why: assumed }
    },
  }
}

export function lineagesOf(nodes: Map<string, TreeNode>, { restrictions, unread }: SpaceMetadata) {
  const kinds = kindsAbove(nodes.values())
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
  const grants = await roles.then((told) => client.grants(space, told, signal)).catch(whyUnread)
  if (typeof grants === 'string') return grants
  const rights = spacePermissions(grants, client.superGroup)
  const { users, groups, classes } = rights.read
  if (users.size + groups.size + classes.size + rights.unknownClasses.length > 0) return rights
  return rights.unproved ?? `the wiki names nobody who may read space ${space.key}`
}

function whyUnread(error: unknown): string {
  if (error instanceof AppError && !error.endsJob) return error.message
  throw error
}

type Standings = (row: PageInfo) => {
  lineage: Lineage
  standing: PageStanding | string
  /** Set if a level may hold fewer people than the wiki allows. */
  unproved?: string
}

/** Pages below the same restrictions share one lineage object. */
function standings(listed: {
  rows: PageInfo[]
  marked: SpaceMetadata
  rights: SpacePermissions | string
  lineageOf(id: string): Lineage
  decisions: Map<Lineage, Decision>
}): { rows: PageInfo[]; of: Standings } {
  const { rows, marked, rights, lineageOf, decisions } = listed
  return {
    rows,
    of: (row) => {
      const lineage = lineageOf(row.id)
      if (typeof rights === 'string') return { lineage, standing: rights }
      if (lineage.unproved) return { lineage, standing: lineage.unproved }
      const update = marked.restrictions.get(row.id)?.update ?? null
      const decision = decisions.get(lineage)
      const above = decision?.level ? [...lineage.above, decision.level] : lineage.above
      const standing = { rights, above, update, creator: row.author }
      return { lineage, standing, ...(decision?.unproved ? { unproved: decision.unproved } : {}) }
    },
  }
}

async function loadWanted(
  directory: WikiDirectory,
  { rows, of }: { rows: PageInfo[]; of: Standings },
  signal: AbortSignal,
) {
  const groups = new Set<string>()
  const users = new Set<string>()
  const seen = new Map<Lineage, Set<string>>()
  for (const row of rows) {
    const { lineage, standing } = of(row)
    if (typeof standing === 'string' || !isNew(seen, lineage, keyOf(row, standing))) continue
    const wanted = neededFor(standing)
    for (const group of wanted.groups) groups.add(group)
    for (const user of wanted.users) users.add(user)
  }
  await directory.load({ groups, users }, signal)
}

/** Computes access once for all pages with the same rules. */
function resolver({ of }: { of: Standings }, directory: WikiDirectory): (row: PageInfo) => Access {
  const memo = new Map<Lineage, Map<string, Access>>()
  return (row) => {
    const { lineage, standing, unproved } = of(row)
    if (typeof standing === 'string') return grantNoOne(standing)
    const key = keyOf(row, standing)
    const known = memo.get(lineage) ?? new Map<string, Access>()
    memo.set(lineage, known)
    const access = known.get(key) ?? { ...(unproved ? { unproved } : {}), ...accessOf(standing, directory) }
    known.set(key, access)
    return access
  }
}

/** The lineage plus the page's update restriction, and its creator if creators may delete. */
function keyOf(row: PageInfo, { update, rights: { removeOwn } }: PageStanding): string {
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
