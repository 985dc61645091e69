import { type AllOf, type AnyOf, flatten, limiting, needed } from '../../../access.ts'
import { forEachLimited } from '../../../concurrency.ts'
import type { PageInfo, Space, WikiClient } from '../client.ts'
import type { WikiDirectory } from './directory.ts'
import { unprovedReason } from './permissions.ts'
import { type AncestorVerdict, createProbe } from './probe-ancestors.ts'
import type { Lineage, TreeNode } from './tree.ts'

/**
 * How to treat folders, whiteboards and databases. Their empty list of restrictions proves nothing
 * (CONFCLOUD-82920).
 */
export type Assumption = 'hide' | 'open'

export type Decision = {
  node: string
  /** Who passes the undecided nodes; null if they are open. */
  level: AnyOf | null
  /** Why more people may be allowed than `level` holds. */
  unproved: string | null
  /** Why the setting had to decide; null if the wiki's checks decided. */
  assumed: string | null
}

const CONCURRENT_CHAINS = 4

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

/** Checks with the wiki who may read a page below each undecided node. */
export async function decideAncestors(
  { client, directory, unprovedAncestors }: AncestorContext,
  tree: SpaceTree,
  signal: AbortSignal,
): Promise<Map<Lineage, Decision>> {
  const { rows, read, lineageOf } = tree
  const probe = createProbe({ checks: client.checks, directory, openPageId: openPageOf(tree) })
  const decisions = new Map<Lineage, Decision>()
  const chains = chainsOf(rows, lineageOf)
  await forEachLimited(chains, CONCURRENT_CHAINS, async ([node, pages]) => {
    // A page without further restrictions represents all pages below the node.
    const plain = lineageOf(node)
    const shared = pages.has(plain) ? await probeLineage(plain) : null
    if (shared) decisions.set(plain, toDecision(node, shared))
    for (const lineage of pages.keys()) {
      if (lineage === plain) continue
      const verdict = shared && isSettled(shared) ? shared : await probeLineage(lineage)
      decisions.set(lineage, toDecision(node, verdict))
    }

    async function probeLineage(lineage: Lineage): Promise<AncestorVerdict> {
      const levels = [read, ...lineage.above]
      await directory.load(needed(levels), signal)
      const readers = readersOf(levels, directory)
      return probe({ pageId: pages.get(lineage)!.id, readers }, signal)
    }
  })
  return decisions

  function toDecision(node: string, verdict: AncestorVerdict): Decision {
    if (verdict.kind === 'open') return { node, level: null, unproved: null, assumed: null }
    if (verdict.kind === 'restricted')
      return { node, level: verdict.passed, unproved: verdict.unchecked, assumed: null }
    const { passed, reason } = verdict
    if (unprovedAncestors === 'open') return { node, level: null, unproved: null, assumed: reason }
    return { node, level: passed, unproved: reason, assumed: reason }
  }
}

/** Everyone these levels allow, or a superset if some members are unknown. */
function readersOf(levels: AllOf, directory: WikiDirectory): AnyOf {
  const { who, unresolved } = flatten(levels, directory)
  if (!unprovedReason(unresolved, [levels], directory)) return who
  // Every reader passes each level, so any level is a superset.
  const unread = ({ groups }: AnyOf) => [...groups].filter((id) => !directory.members(id)).length
  const [narrowest = who] = limiting(levels).toSorted(
    (a, b) =>
      a.classes.size - b.classes.size ||
      unread(a) - unread(b) ||
      a.users.size + a.groups.size - b.users.size - b.groups.size,
  )
  return narrowest
}

/** A current page without restrictions above it, preferably the home page. */
function openPageOf({ space, nodes, lineageOf }: SpaceTree): string | null {
  const kinds = nonPageParents(nodes.values())
  const isOpen = (id: string) => {
    const node = nodes.get(id)
    if (!node || !('status' in node) || node.status !== 'current') return false
    const { above, unproved, undecided } = lineageOf(id)
    return !kinds.has(id) && above.length === 0 && unproved === null && undecided === null
  }
  const home = space.homepageId
  if (home && isOpen(home)) return home
  for (const id of nodes.keys()) if (isOpen(id)) return id
  return null
}

/** For each undecided node the lineages below it, each with one page to check. */
function chainsOf(rows: PageInfo[], lineageOf: (id: string) => Lineage): Map<string, Map<Lineage, PageInfo>> {
  const chains = new Map<string, Map<Lineage, PageInfo>>()
  for (const row of rows) {
    const lineage = lineageOf(row.id)
    if (lineage.unproved || lineage.undecided === null) continue
    const pages = chains.get(lineage.undecided) ?? new Map<Lineage, PageInfo>()
    chains.set(lineage.undecided, pages)
    const before = pages.get(lineage)
    if (!before || (before.status !== 'current' && row.status === 'current')) pages.set(lineage, row)
  }
  return chains
}

function isSettled(verdict: AncestorVerdict): boolean {
  return verdict.kind === 'open' || (verdict.kind === 'restricted' && verdict.unchecked === null)
}
