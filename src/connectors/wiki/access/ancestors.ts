import { type AllOf, type AnyOf, directoryLookups, effectiveLevels, flatten } from '../../../access.ts'
import { forEachLimited } from '../../../concurrency.ts'
import type { PageInfo, Space, WikiClient } from '../client.ts'
import type { WikiDirectory } from './directory.ts'
import { unprovedReason } from './permissions.ts'
import { type AncestorVerdict, createProbe, type Probe } from './probe-ancestors.ts'
import type { Lineage, TreeNode } from './tree.ts'

/**
 * How to treat folders, whiteboards and databases. Their empty list of restrictions proves nothing
 * (CONFCLOUD-82920).
 */
export type Assumption = 'hide' | 'open'

export type Decision = {
  node: string
  /** People who pass the undecided nodes; null if these are open. */
  level: AnyOf | null
  /** Why more people may be allowed than `level` holds. */
  unproved: string | null
  /** Why the setting had to decide; null if the wiki's checks decided. */
  assumed: string | null
}

const CONCURRENT_NODES = 4

/** The types of parents that are not pages, by id. */
export function nonPageParents(nodes: Iterable<TreeNode>): Map<string, string> {
  const kinds = new Map<string, string>()
  for (const { parent } of nodes)
    if (parent && parent.type !== 'page' && parent.type !== 'blogpost') kinds.set(parent.id, parent.type)
  return kinds
}

type AncestorContext = { client: WikiClient; directory: WikiDirectory; unprovedAncestors: Assumption }
type SpaceTree = {
  space: Space
  rows: PageInfo[]
  nodes: ReadonlyMap<string, TreeNode>
  read: AnyOf
  lineageOf(id: string): Lineage
}

/** Who passes the undecided nodes of a space. A decision is kept for all later batches of pages. */
export type Decisions = {
  /** Checks with the wiki who may read a page below each node that is not decided yet. */
  decide(tree: SpaceTree, signal: AbortSignal): Promise<void>
  get(lineage: Lineage): Decision | undefined
  /** False until a batch contained the home page. */
  isHomeKnown(): boolean
}

/** Unsettled decisions are not used for pages with further restrictions. */
type Decided = Decision & { isSettled: boolean }

export function createDecisions({ client, directory, unprovedAncestors }: AncestorContext): Decisions {
  /** By node: decisions about pages without further restrictions. */
  const shared = new Map<string, Decided>()
  const own = new Map<string, Decided>()
  const openPages = createOpenPages()
  let openPageId: string | null = null
  let probe: Probe | undefined

  async function decide(tree: SpaceTree, signal: AbortSignal): Promise<void> {
    const { rows, read, lineageOf } = tree
    if (client.permissionChecks) openPages.add(tree)
    const pagesByNode = pagesBelowUndecided(rows, lineageOf)
    if (pagesByNode.size === 0) return
    if (!probe || openPageId !== openPages.find(tree.space)) {
      openPageId = openPages.find(tree.space)
      probe = createProbe({ checks: client.permissionChecks, directory, openPageId })
    }
    const check = probe
    await forEachLimited(pagesByNode, CONCURRENT_NODES, async ([node, pages]) => {
      // A page without further restrictions represents all pages below the node.
      const unrestricted = lineageOf(node)
      if (pages.has(unrestricted) && !shared.has(node)) shared.set(node, await decideFor(unrestricted))
      for (const lineage of pages.keys()) {
        if (lineage === unrestricted || shared.get(node)?.isSettled || own.has(keyOf(lineage))) continue
        own.set(keyOf(lineage), await decideFor(lineage))
      }

      async function decideFor(lineage: Lineage): Promise<Decided> {
        const levels = [read, ...lineage.restrictions]
        await directory.load(directoryLookups(levels), signal)
        const readers = readersOf(levels, directory)
        const verdict = await check({ pageId: pages.get(lineage)!.id, readers }, signal)
        return { ...toDecision(node, verdict), isSettled: isSettled(verdict) }
      }
    })
  }

  function toDecision(node: string, verdict: AncestorVerdict): Decision {
    if (verdict.kind === 'open') return { node, level: null, unproved: null, assumed: null }
    if (verdict.kind === 'restricted')
      return { node, level: verdict.passed, unproved: verdict.unchecked, assumed: null }
    const { passed, reason } = verdict
    if (unprovedAncestors === 'open') return { node, level: null, unproved: null, assumed: reason }
    return { node, level: passed, unproved: reason, assumed: reason }
  }

  return {
    decide,
    get: (lineage) => {
      if (lineage.unproved || lineage.undecided === null) return undefined
      return own.get(keyOf(lineage)) ?? shared.get(lineage.undecided)
    },
    isHomeKnown: openPages.isHomeKnown,
  }
}

/** Equal for pages below the same restricted and undecided nodes. */
function keyOf({ restrictedIds, undecided }: Lineage): string {
  return `${undecided}/${restrictedIds.join('/')}`
}

/** Everyone these levels allow, or a superset if some members are unknown. */
function readersOf(levels: AllOf, directory: WikiDirectory): AnyOf {
  const { who, unresolved } = flatten(levels, directory)
  if (!unprovedReason(unresolved, [levels], directory)) return who
  // Every reader passes each level, so any level is a superset.
  const unread = ({ groups }: AnyOf) => [...groups].filter((id) => !directory.members(id)).length
  const [narrowest = who] = effectiveLevels(levels).toSorted(
    (a, b) =>
      a.classes.size - b.classes.size ||
      unread(a) - unread(b) ||
      a.users.size + a.groups.size - b.users.size - b.groups.size,
  )
  return narrowest
}

/** Looks for a current page without restrictions above it, preferably the home page. */
function createOpenPages() {
  let isHomeOpen: boolean | undefined
  let first: string | null = null

  return {
    add({ space, nodes, lineageOf }: SpaceTree): void {
      const kinds = nonPageParents(nodes.values())
      const isOpen = (id: string, node: TreeNode) => {
        if (!('status' in node) || node.status !== 'current') return false
        const { restrictions, unproved, undecided } = lineageOf(id)
        return !kinds.has(id) && restrictions.length === 0 && unproved === null && undecided === null
      }
      const home = space.homepageId ? nodes.get(space.homepageId) : undefined
      if (home && 'status' in home) isHomeOpen ??= isOpen(home.id, home)
      if (isHomeOpen || first) return
      for (const [id, node] of nodes) {
        if (!isOpen(id, node)) continue
        first = id
        return
      }
    },
    find: ({ homepageId }: Space) => (isHomeOpen ? homepageId : first),
    isHomeKnown: () => isHomeOpen !== undefined,
  }
}

/** For each undecided node the lineages below it, each with one page to check. */
function pagesBelowUndecided(
  rows: PageInfo[],
  lineageOf: (id: string) => Lineage,
): Map<string, Map<Lineage, PageInfo>> {
  const pagesByNode = new Map<string, Map<Lineage, PageInfo>>()
  for (const row of rows) {
    const lineage = lineageOf(row.id)
    if (lineage.unproved || lineage.undecided === null) continue
    const pages = pagesByNode.get(lineage.undecided) ?? new Map<Lineage, PageInfo>()
    pagesByNode.set(lineage.undecided, pages)
    const before = pages.get(lineage)
    if (!before || (before.status !== 'current' && row.status === 'current')) pages.set(lineage, row)
  }
  return pagesByNode
}

function isSettled(verdict: AncestorVerdict): boolean {
  return verdict.kind === 'open' || (verdict.kind === 'restricted' && verdict.unchecked === null)
}
