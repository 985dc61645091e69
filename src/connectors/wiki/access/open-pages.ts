import type { Space } from '../client.ts'
import { ancestorNodes, type Lineage, nonPageParents, type TreeNode } from './tree.ts'

/** Looks for a current page without restrictions and folders above it, preferably the home page. */
export function createOpenPages({ homepageId }: Space) {
  let isHomeOpen: boolean | undefined
  let first: string | null = null

  return {
    add: ({ nodes, lineageOf }: { nodes: ReadonlyMap<string, TreeNode>; lineageOf(id: string): Lineage }) => {
      const kinds = nonPageParents(nodes.values())
      const isFolder = (node: TreeNode) => kinds.has(node.id)
      const isOpen = (id: string, node: TreeNode) => {
        if (!('status' in node) || node.status !== 'current') return false
        const { restrictions, unproved } = lineageOf(id)
        return restrictions.length === 0 && unproved === null && !ancestorNodes(nodes, id).some(isFolder)
      }
      const home = homepageId ? nodes.get(homepageId) : undefined
      if (home && 'status' in home) isHomeOpen ??= isOpen(home.id, home)
      if (isHomeOpen || first) return
      for (const [id, node] of nodes) {
        if (!isOpen(id, node)) continue
        first = id
        return
      }
    },
    /** Null if there is none yet. */
    find: () => (isHomeOpen ? homepageId : first),
    /** False until a batch contained the home page. */
    isHomeKnown: () => isHomeOpen !== undefined,
  }
}
