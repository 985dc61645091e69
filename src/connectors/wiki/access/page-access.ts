import { AppError } from '../../../errors.ts'
import type { Access, LevelName, PermissionSet } from '../../../permissions/levels.ts'
import type { PageInfo, Space, WikiClient } from '../client.ts'
import type { AccessContext } from './access-context.ts'
import { Decisions } from './decisions.ts'
import { undefinedUnlessFatal, type WikiDirectory } from './directory.ts'
import { KnownNodes, type ReadRule } from './known-nodes.ts'
import { createAncestorLoader } from './load-ancestors.ts'
import { loadMetadata, type SpaceMetadata } from './page-metadata.ts'
import {
  accessOf,
  grantNoOne,
  neededFor,
  type PageRules,
  permissionsFor,
  type SpacePermissions,
  spacePermissions,
} from './permissions.ts'
import { decidingIds, type Lineage, lineages, nonPageParents, type TreeNode } from './tree.ts'

/** Pages of one space with everything that decides their access. */
export type SpaceAccess = {
  nodes: Map<string, TreeNode>
  metadata: SpaceMetadata
  access(row: PageInfo): Access
  /** Set if the setting decided about the folders above a page. */
  assumed(row: PageInfo): { node: TreeNode | undefined; kind: string; reason: string } | null
}

/** Loads batches of one space with ascending ids. */
export type AccessLoader = {
  /** Loads ancestors, restrictions and grants; computes the access of a page on demand. */
  load(rows: PageInfo[]): Promise<SpaceAccess>
  /** Records pages that are not loaded but may be above later ones. */
  skip(rows: PageInfo[]): void
  /** Keeps what was decided for later listings; `isWhole` if all pages of the space were loaded. */
  save(options: { isWhole: boolean }): Promise<void>
}

export function createAccessLoader(context: AccessContext, space: Space, signal: AbortSignal): AccessLoader {
  const { client, directory, containers } = context
  const pendingPermissions = spacePermissionsOf(context, space, signal)
  pendingPermissions.catch(() => {})
  const known = new KnownNodes()
  const loadAncestors = createAncestorLoader({ client, containers, nodes: known })
  const decisions = new Decisions(context, space)
  let isHomeLoaded = false

  async function load(rows: PageInfo[]): Promise<SpaceAccess> {
    for (const budget of [context.rechecks, context.samples]) budget.addPages(rows.length)
    await decisions.load()
    const found = await loadAncestors(rows, signal)
    const home = await loadHome([...rows, ...found.known, ...found.loaded])
    const isHome = ({ id }: TreeNode) => id === home?.id
    const rules = new Map(found.known.map(({ id }) => [id, known.ruleOf(id)]))
    const withoutRule = found.known.filter(({ id }) => !rules.get(id))
    const loaded = [...found.loaded, ...withoutRule].filter((node) => !isHome(node))
    const ancestors = [...loaded, ...(home ? [home] : [])]
    const metadata = await loadMetadata(context, { pages: rows, ancestors }, signal)
    const fromBefore = found.known.filter((node) => rules.get(node.id) && !isHome(node))
    for (const { id } of fromBefore) addRule(metadata, id, rules.get(id))
    remember()

    const nodes = new Map<string, TreeNode>(
      [...rows, ...fromBefore, ...ancestors].map((node) => [node.id, node]),
    )
    const kinds = nonPageParents(nodes.values())
    decisions.addRestricted([...kinds.keys()].filter((id) => metadata.restrictions.get(id)?.read))
    const permissions = await pendingPermissions
    const kindOf = new Map<string, string>([...rows.map(({ id, kind }) => [id, kind] as const), ...kinds])
    const nameOf = (id: string): LevelName => {
      return { kind: kindOf.get(id) ?? 'page', id, title: nodes.get(id)?.title ?? '' }
    }
    const listed = { site: client.site.name, space, rows, metadata, permissions, nameOf }
    const lineageOf = await decidedLineages()
    const pageRules = collectRules({ ...listed, lineageOf, decisions })
    await loadMembers(directory, pageRules, signal)
    return {
      nodes,
      metadata,
      access: createResolver(pageRules, directory),
      assumed: (row) => {
        const decision = decisions.get(lineageOf(row.id))
        if (!decision?.assumed) return null
        const { node, assumed } = decision
        return { node: nodes.get(node), kind: kinds.get(node) ?? 'folder', reason: assumed }
      },
    }

    /** Until no check contradicts what the lineages take as open. */
    async function decidedLineages(): Promise<(id: string) => Lineage> {
      for (;;) {
        const lineageOf = lineagesOf(nodes, metadata, decisions)
        if (typeof permissions === 'string') return lineageOf
        const rules = collectRules({ ...listed, lineageOf, decisions: NONE })
        // Loaded before the checks, which leave out members of passing groups.
        await loadMembers(directory, rules, signal)
        if (await decisions.decide({ rows, nodes, read: permissions.read, lineageOf }, signal))
          return lineageOf
      }
    }

    function remember(): void {
      const ruleOf = (id: string) => ruleIn(metadata, id)
      for (const node of found.loaded) known.addAncestor(node, ruleOf(node.id))
      for (const { id } of withoutRule) known.setRule(id, ruleOf(id))
      known.addPages(rows, ruleOf)
    }
  }

  /** Once, if checks need it before it is listed. */
  async function loadHome(nodes: TreeNode[]): Promise<PageInfo | null> {
    if (isHomeLoaded || decisions.isHomeKnown() || nonPageParents(nodes).size === 0) return null
    isHomeLoaded = true
    return homeForChecks(client, { space, nodes }, signal)
  }

  return {
    load,
    save: (options) => decisions.save(options),
    skip: (rows) => {
      const restrictions = new Map(rows.map(({ id, metadata }) => [id, metadata?.restrictions]))
      known.addPages(rows, (id) => {
        const own = restrictions.get(id)
        return own?.complete ? own.restriction : undefined
      })
    },
  }
}

/** The access of some pages, loaded at once. */
export async function loadAccess(
  context: AccessContext,
  { space, rows }: { space: Space; rows: PageInfo[] },
  signal: AbortSignal,
): Promise<SpaceAccess> {
  return createAccessLoader(context, space, signal).load(rows)
}

function ruleIn({ restrictions, unreadRestrictions }: SpaceMetadata, id: string): ReadRule {
  const unread = unreadRestrictions.get(id)
  return unread ? { unread } : { read: restrictions.get(id)?.read ?? null }
}

function addRule(metadata: SpaceMetadata, id: string, rule: ReadRule | undefined): void {
  if (!rule) return
  if ('unread' in rule) metadata.unreadRestrictions.set(id, rule.unread)
  else if (rule.read) metadata.restrictions.set(id, { read: rule.read, update: null })
}

/** The home page, on which checks below folders are repeated. */
async function homeForChecks(
  client: WikiClient,
  { space, nodes }: { space: Space; nodes: TreeNode[] },
  signal: AbortSignal,
): Promise<PageInfo | null> {
  const id = space.homepageId
  if (!id || nodes.some((node) => node.id === id && 'status' in node)) return null
  const pages = await client.pagesById([id], 'page', signal).catch(undefinedUnlessFatal)
  return pages?.[0] ?? null
}

export function lineagesOf(
  nodes: Map<string, TreeNode>,
  { restrictions, unreadRestrictions }: SpaceMetadata,
  decisions: Pick<Decisions, 'isUndecided'>,
) {
  const kinds = nonPageParents(nodes.values())
  return lineages(nodes, {
    read: (id) => restrictions.get(id)?.read ?? null,
    unread: (id) => unreadRestrictions.get(id) ?? null,
    undecided: (id) => {
      const kind = kinds.get(id)
      return kind !== undefined && decisions.isUndecided({ id, kind })
    },
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

const NONE: Pick<Decisions, 'get'> = { get: () => undefined }

/** The rules of a page, or why they are unknown. */
type RulesOf = (row: PageInfo) => NamedRules | string
type NamedRules = {
  set: PermissionSet
  levels: LevelName[]
  rules: PageRules
  /** Why a level may let fewer people pass than the wiki does. */
  unproved?: string
}

function collectRules(listing: {
  site: string
  space: Space
  rows: PageInfo[]
  metadata: SpaceMetadata
  permissions: SpacePermissions | string
  nameOf(id: string): LevelName
  lineageOf(id: string): Lineage
  decisions: Pick<Decisions, 'get'>
}): { rows: PageInfo[]; rulesOf: RulesOf } {
  const { site, space, rows, metadata, permissions, nameOf, lineageOf, decisions } = listing
  const spaceLevel = { kind: 'space', id: space.id, title: space.name }
  return {
    rows,
    rulesOf: (row) => {
      const lineage = lineageOf(row.id)
      if (typeof permissions === 'string') return permissions
      if (lineage.unproved) return lineage.unproved
      const update = metadata.restrictions.get(row.id)?.update ?? null
      const decision = decisions.get(lineage)
      const restrictions = decision?.level
        ? lineage.restrictions.toSpliced(lineage.undecidedAt, 0, decision.level)
        : lineage.restrictions
      const own = permissionsFor(permissions, row.kind)
      const rules = { space: own, restrictions, update, creator: row.author }
      const ids = decidingIds(lineage)
      const restricted = (decision?.level ? ids : lineage.restrictedIds).map(nameOf)
      return {
        // Another wiki may have the same ids, and a new space the key of a deleted one.
        set: { site, scope: space.id, levels: ids, own: ownPart(row, lineage, rules) },
        levels: [spaceLevel, ...restricted],
        rules,
        ...(decision?.unproved ? { unproved: decision.unproved } : {}),
      }
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
  const seen = new Set<string>()
  for (const row of rows) {
    const known = rulesOf(row)
    if (typeof known === 'string') continue
    const key = JSON.stringify(known.set)
    if (seen.has(key)) continue
    seen.add(key)
    const needs = neededFor(known.rules)
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
  const memo = new Map<string, Access>()
  return (row) => {
    const known = rulesOf(row)
    if (typeof known === 'string') return grantNoOne(known)
    const { set, levels, rules, unproved } = known
    const key = JSON.stringify(set)
    const access = memo.get(key) ?? {
      ...(unproved ? { unproved } : {}),
      ...accessOf(rules, directory),
      levels,
      set,
    }
    memo.set(key, access)
    return access
  }
}

/**
 * The folder on which the wiki's checks decide, the page's own update restriction, and its owner if the space lets owners
 * delete their pages.
 */
function ownPart(
  row: PageInfo,
  { undecided }: Lineage,
  { update, space: { removeOwn } }: PageRules,
): Record<string, string> {
  const ownersMatter = removeOwn.users.size + removeOwn.groups.size + removeOwn.classes.size > 0
  return {
    ...(undecided ? { checked: undecided } : {}),
    ...(update ? { update: row.id } : {}),
    ...(ownersMatter && row.author ? { owner: row.author } : {}),
    // Posts have writers of their own.
    ...(row.kind === 'blogpost' ? { kind: row.kind } : {}),
  }
}
