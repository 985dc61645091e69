import type { DraftNode, NodeType } from '../types.ts'

/** The order of node types, as in src/pipeline/nodes.ts. */
const POSITION: Record<NodeType, number> = { partition: 0, prompter: 1, chunk: 2, embed: 3 }
export const nodeTypes = Object.keys(POSITION) as NodeType[]

type Typed = Pick<DraftNode, 'type'>

/** A partitioner, then enrichments, then one chunker, and an embedder only after it. */
export function isInOrder(nodes: Typed[]): boolean {
  const types = nodes.map(({ type }) => type)
  const isSorted = types.every((type, index) => {
    const before = types[index - 1]
    if (before === undefined) return type === 'partition'
    return POSITION[type] > POSITION[before] || (type === 'prompter' && before === 'prompter')
  })
  return types.length > 0 && isSorted && (!types.includes('embed') || types.includes('chunk'))
}

/** The node types that fit before this index. */
export function insertableTypes(nodes: Typed[], index: number): NodeType[] {
  return nodeTypes.filter((type) => isInOrder(nodes.toSpliced(index, 0, { type })))
}

/** Why a node cannot be removed, or null. */
export function reasonNotRemovable(
  nodes: Typed[],
  index: number,
): 'partitionerNeeded' | 'chunkerNeeded' | null {
  const { type } = nodes[index] ?? {}
  // A wrong order from YAML may be mended.
  if (isInOrder(nodes.toSpliced(index, 1)) || (type !== 'partition' && !isInOrder(nodes))) return null
  return type === 'chunk' ? 'chunkerNeeded' : 'partitionerNeeded'
}

/** Moves a node by one position; null if the order would be invalid. */
export function moved<T extends Typed>(nodes: T[], index: number, by: 1 | -1): T[] | null {
  const node = nodes[index]
  const target = index + by
  if (!node || target < 0 || target >= nodes.length) return null
  const next = nodes.toSpliced(index, 1).toSpliced(target, 0, node)
  return isInOrder(next) ? next : null
}
