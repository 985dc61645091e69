import { type AllOf, type AnyOf, flatten, limiting, needed } from '../../../access.ts'
import { forEachLimited } from '../../../concurrency.ts'
import type { PageInfo, Space, WikiClient } from '../client.ts'
import type { WikiDirectory } from './directory.ts'
import { whyUnproved } from './permissions.ts'
import { type AncestorVerdict, createProbe } from './probe-ancestors.ts'
import type { Lineage, TreeNode } from './tree.ts'

/**
 * Folders, whiteboards and databases above pages. An empty restriction answer for one of them proves nothing
 * (CONFCLOUD-82920), so that the wiki is asked who may read a page below.
 */
export type Assumption = 'hide' | 'open'

export type Decision = {
  node: string
  /** Who passes the undecided nodes above; null where they are open. */
  level: AnyOf | null
  /** Why more people may be allowed than the level holds. */
  unproved: string | null
  /** Set where the setting decided: why the wiki's answers did not. */
  assumed: string | null
}

const CHAINS_AT_ONCE = 4

/** Nodes that are no pages, by the places that name them as parents. */
export function kindsAbove(nodes: Iterable<TreeNode>): Map<string, string> {
  const kinds = new Map<string, string>()
  for (const { parent } of nodes)
    if (parent && parent.type !== 'page' && parent.type !== 'blogpost') kinds.set(parent.id, parent.type)
  return kinds
}

type Ground = { client: WikiClient; directory: WikiDirectory; unprovedAncestors: Assumption }
type Listed = {
  space: Space
  rows: PageInfo[]
  nodes: ReadonlyMap<string, TreeNode>
  read: AnyOf
  lineageOf(id: string): Lineage
}

/** A decision for every lineage below an undecided node. */
export async function decideAncestors(
  { client, directory, unprovedAncestors }: Ground,
  listed: Listed,
  signal: AbortSignal,
): Promise<Map<Lineage, Decision>> {
  const { rows, read, lineageOf } = listed
  const probe = createProbe({ checks: client.checks, directory, openPageId: openPageOf(listed) })
  const decisions = new Map<Lineage, Decision>()
  const chains = chainsOf(rows, lineageOf)
  await forEachLimited(chains, CHAINS_AT_ONCE, async ([node, pages]) => {
    // A page without further restrictions speaks for all pages below the node.
    const plain = lineageOf(node)
    const shared = pages.has(plain) ? await verdictOn(plain) : null
    if (shared) decisions.set(plain, decided(node, shared))
    for (const lineage of pages.keys()) {
      if (lineage === plain) continue
      const verdict = shared && isSettled(shared) ? shared : await verdictOn(lineage)
      decisions.set(lineage, decided(node, verdict))
    }

    async function verdictOn(lineage: Lineage): Promise<AncestorVerdict> {
      const levels = [read, ...lineage.above]
      await directory.load(needed(levels), signal)
      const readers = readersOf(levels, directory)
      return probe({ pageId: pages.get(lineage)!.id, readers }, signal)
    }
  })
  return decisions

  function decided(node: string, verdict: AncestorVerdict): Decision {
    if (verdict.kind === 'open') return { node, level: null, unproved: null, assumed: null }
    if (verdict.kind === 'restricted')
      return { node, level: verdict.passed, unproved: verdict.unasked, assumed: null }
    const { passed, why } = verdict
    if (unprovedAncestors === 'open') return { node, level: null, unproved: null, assumed: why }
    return { node, level: passed, unproved: why, assumed: why }
  }
}

/** All who may read by these levels, or more where some of them are not known: no reader may be missing. */
function readersOf(levels: AllOf, directory: WikiDirectory): AnyOf {
  const { who, unresolved } = flatten(levels, directory)
  if (!whyUnproved(unresolved, [levels], directory)) return who
  // Every reader passes each level, so that one level holds them all.
  const unread = ({ groups }: AnyOf) => [...groups].filter((id) => !directory.members(id)).length
  const [narrowest = who] = limiting(levels).toSorted(
    (a, b) =>
      a.classes.size - b.classes.size ||
      unread(a) - unread(b) ||
      a.users.size + a.groups.size - b.users.size - b.groups.size,
  )
  return narrowest
}

/** A current page that nothing above it restricts, the home page first: it is there for one page as for all. */
function openPageOf({ space, nodes, lineageOf }: Listed): string | null {
  const kinds = kindsAbove(nodes.values())
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

/** For each undecided node the lineages directly below it, each with a page to ask about. */
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
  return verdict.kind === 'open' || (verdict.kind === 'restricted' && verdict.unasked === null)
}
