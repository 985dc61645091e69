import type { DraftNode, NodeType } from '../types.ts'

/** The order of node types, as in src/pipeline/nodes.ts. */
const POSITION: Record<NodeType, number> = { partition: 0, prompter: 1, chunk: 2, embed: 3 }
export const nodeTypes = Object.keys(POSITION) as NodeType[]

type Typed = Pick<DraftNode, 'type'>

export type Misplacement =
  | { why: 'first' | 'needsChunk' }
  | { why: 'only'; type: NodeType }
  | { why: 'mustPrecede'; type: NodeType; other: NodeType }

/** One entry per node; null if its position is valid. */
export function misplacements(nodes: Typed[]): (Misplacement | null)[] {
  return nodes.map(({ type }, index) => {
    const earlier = nodes.slice(0, index).map((node) => node.type)
    if (earlier.length === 0) return type === 'partition' ? null : { why: 'first' }
    if (type !== 'prompter' && earlier.includes(type)) return { why: 'only', type }
    const belongsAfter = earlier.find((other) => POSITION[other] > POSITION[type])
    if (belongsAfter) return { why: 'mustPrecede', type, other: belongsAfter }
    if (type === 'embed' && !earlier.includes('chunk')) return { why: 'needsChunk' }
    return null
  })
}

export function isInOrder(nodes: Typed[]): boolean {
  return nodes.length > 0 && misplacements(nodes).every((wrong) => wrong === null)
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
  if (isInOrder(nodes.toSpliced(index, 1))) return null
  return nodes[index]?.type === 'chunk' ? 'chunkerNeeded' : 'partitionerNeeded'
}

/** Moves a node by one position; null if the order would be invalid. */
export function moved<T extends Typed>(nodes: T[], index: number, by: 1 | -1): T[] | null {
  const node = nodes[index]
  const target = index + by
  if (!node || target < 0 || target >= nodes.length) return null
  const next = nodes.toSpliced(index, 1).toSpliced(target, 0, node)
  return isInOrder(next) ? next : null
}
