import type { Block } from '../types.ts'

// The panel around the document has a heading of level 2.
const TOP = 3
const BOTTOM = 6

/** Heading levels below the panel, without gaps that confuse screen readers. */
export function headingLevels(blocks: Pick<Block, 'type' | 'depth'>[]): (number | undefined)[] {
  let last = TOP - 1
  return blocks.map(({ type, depth }) => {
    if (type !== 'Title') return undefined
    last = Math.min(TOP + depth, last + 1, BOTTOM)
    return last
  })
}
