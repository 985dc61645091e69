import type { DocumentContent } from '../types.ts'

export type Side = 'blocks' | 'elements'
export type Position = { side: Side; index: number }

/** For each block its elements, and for each element its blocks, by index. */
export type Links = Record<Side, number[][]>

export function linksOf({ blocks, elements }: Pick<DocumentContent, 'blocks' | 'elements'>): Links {
  // Equal texts can share an id.
  const indexes = Map.groupBy(blocks.keys(), (index) => blocks[index]?.id)
  const links: Links = { blocks: blocks.map(() => []), elements: [] }
  links.elements = elements.map(({ block_ids: ids }, element) => {
    const own = [...new Set(ids.flatMap((id) => indexes.get(id) ?? []))].sort((a, b) => a - b)
    for (const block of own) links.blocks[block]?.push(element)
    return own
  })
  return links
}

export function otherSide(side: Side): Side {
  return side === 'blocks' ? 'elements' : 'blocks'
}

/** Whether to mark an item: the active one and its counterparts. */
export function isMarked(links: Links, active: Position | undefined, { side, index }: Position): boolean {
  if (!active) return false
  if (active.side === side) return active.index === index
  return links[active.side][active.index]?.includes(index) ?? false
}

/** Where a key moves the focus; undefined if it does not move it. */
export function positionAfter(links: Links, { side, index }: Position, key: string): Position | undefined {
  const last = links[side].length - 1
  const toOther = side === 'blocks' ? 'ArrowRight' : 'ArrowLeft'
  if (key === toOther) {
    const first = links[side][index]?.[0]
    return first === undefined ? undefined : { side: otherSide(side), index: first }
  }
  const next: Record<string, number> = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: last }
  const to = next[key]
  return to === undefined ? undefined : { side, index: Math.min(Math.max(to, 0), last) }
}
