import type { AnyOf } from '../../../access.ts'

export type NodeRef = { id: string; type: string }

/** A page or whatever else stands above pages; `lost` says why nothing is known of it. */
export type TreeNode = { id: string; title: string; parent: NodeRef | null; lost?: string }

/** The read restrictions from the top down to a node, or why they are not known. Open nodes share their parent's. */
export type Lineage = {
  above: readonly AnyOf[]
  unproved: string | null
  /** The nearest node above whose empty restriction proves nothing; it stands for those above it, too. */
  undecided: string | null
}

export type RestrictionMap = {
  read(id: string): AnyOf | null
  /** Why the restriction of a node could not be read, or null. */
  unread(id: string): string | null
  /** Whether a node may be restricted although its answer is empty. */
  undecided?(id: string): boolean
}

const OPEN: Lineage = { above: [], unproved: null, undecided: null }

/** Answers for any node; every node is worked out once, however many pages stand below it. */
export function lineages(
  nodes: ReadonlyMap<string, TreeNode>,
  restrictions: RestrictionMap,
): (id: string) => Lineage {
  const known = new Map<string, Lineage>()

  function below(parent: Lineage, node: TreeNode): Lineage {
    if (parent.unproved) return parent
    const why = node.lost ?? restrictions.unread(node.id)
    if (why) return unproved(why)
    const read = restrictions.read(node.id)
    if (read) return { ...parent, above: [...parent.above, read] }
    return restrictions.undecided?.(node.id) ? { ...parent, undecided: node.id } : parent
  }

  return (id) => {
    const { path, top } = climb(nodes, id, known)
    let lineage = top
    for (const node of path) {
      lineage = below(lineage, node)
      known.set(node.id, lineage)
    }
    return lineage
  }
}

/** Everything above a node, from the top downwards. */
export function ancestorsOf(nodes: ReadonlyMap<string, TreeNode>, id: string): TreeNode[] {
  const { path } = climb(nodes, id, new Map())
  return path.slice(0, -1).filter((node) => !node.lost)
}

/** The way from the first node whose lineage is known (or the top) down to `id`. */
function climb(
  nodes: ReadonlyMap<string, TreeNode>,
  id: string,
  known: Map<string, Lineage>,
): { path: TreeNode[]; top: Lineage } {
  const path: TreeNode[] = []
  const passed = new Set<string>()
  for (let at: string | undefined = id; at !== undefined; ) {
    const settled = known.get(at)
    if (settled) return { path: path.reverse(), top: settled }
    if (passed.has(at))
      return { path: path.reverse(), top: unproved(`the pages above ${id} go round in circles`) }
    passed.add(at)
    const node = nodes.get(at)
    if (!node)
      return { path: path.reverse(), top: unproved(`what stands above page ${id} could not be read`) }
    path.push(node)
    at = node.parent?.id
  }
  return { path: path.reverse(), top: OPEN }
}

function unproved(why: string): Lineage {
  return { above: [], unproved: why, undecided: null }
}
