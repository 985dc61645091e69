import type { DraftNode, NodeType } from '../types.ts'

/** Where each type of step stands; src/pipeline/nodes.ts holds the service to the same. */
const PLACE: Record<NodeType, number> = { partition: 0, prompter: 1, chunk: 2, embed: 3 }
export const nodeTypes = Object.keys(PLACE) as NodeType[]

type Typed = Pick<DraftNode, 'type'>

export type Misplacement =
  | { why: 'first' | 'needsChunk' }
  | { why: 'only'; type: NodeType }
  | { why: 'before'; type: NodeType; later: NodeType }

/** What is wrong with each step's place; null where nothing is. */
export function misplacements(nodes: Typed[]): (Misplacement | null)[] {
  return nodes.map(({ type }, index) => {
    const before = nodes.slice(0, index).map((node) => node.type)
    if (before.length === 0) return type === 'partition' ? null : { why: 'first' }
    if (type !== 'prompter' && before.includes(type)) return { why: 'only', type }
    const later = before.find((other) => PLACE[other] > PLACE[type])
    if (later) return { why: 'before', type, later }
    if (type === 'embed' && !before.includes('chunk')) return { why: 'needsChunk' }
    return null
  })
}

export function isInOrder(nodes: Typed[]): boolean {
  return nodes.length > 0 && misplacements(nodes).every((wrong) => wrong === null)
}

/** The types of step that may be put in before the step at this index. */
export function offersAt(nodes: Typed[], index: number): NodeType[] {
  return nodeTypes.filter((type) => isInOrder(nodes.toSpliced(index, 0, { type })))
}

/** Why a step cannot go, or null where it can. */
export function whyKept(nodes: Typed[], index: number): 'keepsPartition' | 'keepsChunk' | null {
  if (isInOrder(nodes.toSpliced(index, 1))) return null
  return nodes[index]?.type === 'chunk' ? 'keepsChunk' : 'keepsPartition'
}

/** The steps with one of them moved by one place, or null where that would not be an order that works. */
export function moved<T extends Typed>(nodes: T[], index: number, by: 1 | -1): T[] | null {
  const node = nodes[index]
  const target = index + by
  if (!node || target < 0 || target >= nodes.length) return null
  const next = nodes.toSpliced(index, 1).toSpliced(target, 0, node)
  return isInOrder(next) ? next : null
}
