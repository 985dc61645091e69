import type { AnyOf } from '../../../permissions/principals.ts'
import type { ParsedRestrictions } from './restrictions.ts'

export type NodeRef = { id: string; type: string }

/** A page or a node above pages; `unreadable` says why its parents are unknown. */
export type TreeNode = {
  id: string
  title: string
  parent: NodeRef | null
  unreadable?: string
  /** Its own, if the wiki returned them. */
  restrictions?: ParsedRestrictions | null
}

/** The read restrictions from the top down to a node, or why they are unknown. */
export type Lineage = {
  restrictions: readonly AnyOf[]
  /** The ids of the restricted nodes, in the same order. */
  restrictedIds: readonly string[]
  unproved: string | null
  /** The nearest node above whose empty restriction proves nothing. */
  undecided: string | null
  /** How many restricted nodes are above it. */
  undecidedAt: number
}

export type RestrictionMap = {
  read(id: string): AnyOf | null
  /** Why the restriction could not be read, or null. */
  unread(id: string): string | null
  /** Whether a node may be restricted although its list is empty. */
  undecided?(id: string): boolean
}

const OPEN: Lineage = {
  restrictions: [],
  restrictedIds: [],
  unproved: null,
  undecided: null,
  undecidedAt: 0,
}

/** Computes each node once, however many pages are below it. */
export function lineages(
  nodes: ReadonlyMap<string, TreeNode>,
  restrictions: RestrictionMap,
): (id: string) => Lineage {
  const known = new Map<string, Lineage>()

  function extend(parent: Lineage, node: TreeNode): Lineage {
    if (parent.unproved) return parent
    const reason = node.unreadable ?? restrictions.unread(node.id)
    if (reason) return unprovedLineage(reason)
    const read = restrictions.read(node.id)
    if (read)
      return {
        ...parent,
        restrictions: [...parent.restrictions, read],
        restrictedIds: [...parent.restrictedIds, node.id],
      }
    return restrictions.undecided?.(node.id)
      ? { ...parent, undecided: node.id, undecidedAt: parent.restrictions.length }
      : parent
  }

  return (id) => {
    const { path, top } = pathFromKnown(nodes, id, known)
    let lineage = top
    for (const node of path) {
      lineage = extend(lineage, node)
      known.set(node.id, lineage)
    }
    return lineage
  }
}

/** The restricted nodes and the undecided one, from the top down. */
export function decidingIds({ restrictedIds, undecided, undecidedAt }: Lineage): readonly string[] {
  return undecided === null ? restrictedIds : restrictedIds.toSpliced(undecidedAt, 0, undecided)
}

/** The ancestors of a node, from the top down. */
export function ancestorNodes(nodes: ReadonlyMap<string, TreeNode>, id: string): TreeNode[] {
  const { path } = pathFromKnown(nodes, id, new Map())
  return path.slice(0, -1).filter((node) => !node.unreadable)
}

/** The path from the nearest node with a known lineage down to `id`. */
function pathFromKnown(
  nodes: ReadonlyMap<string, TreeNode>,
  id: string,
  known: Map<string, Lineage>,
): { path: TreeNode[]; top: Lineage } {
  const path: TreeNode[] = []
  const visited = new Set<string>()
  for (let at: string | undefined = id; at !== undefined; ) {
    const lineage = known.get(at)
    if (lineage) return { path: path.reverse(), top: lineage }
    if (visited.has(at))
      return { path: path.reverse(), top: unprovedLineage(`the ancestors of page ${id} form a cycle`) }
    visited.add(at)
    const node = nodes.get(at)
    if (!node)
      return { path: path.reverse(), top: unprovedLineage(`an ancestor of page ${id} could not be read`) }
    path.push(node)
    at = node.parent?.id
  }
  return { path: path.reverse(), top: OPEN }
}

function unprovedLineage(reason: string): Lineage {
  return { ...OPEN, unproved: reason }
}

/** The types of parents that are not pages, by id. */
export function nonPageParents(nodes: Iterable<TreeNode>): Map<string, string> {
  const kinds = new Map<string, string>()
  for (const { parent } of nodes)
    if (parent && parent.type !== 'page' && parent.type !== 'blogpost') kinds.set(parent.id, parent.type)
  return kinds
}
