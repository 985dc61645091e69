import { refuseTooManyParts } from '../../../limits.ts'
import type { Block } from '../../blocks.ts'
import { textType } from '../../sentence.ts'
import { oneLine } from '../one-line.ts'
import { type Shape, shapesInOrder } from './reading-order.ts'

export type Arrow = '→' | '←' | '↔' | '–'

/** A line between two shapes, by their ids. */
export type DrawnLine = { from: string; to: string; text: string; arrow: Arrow }

export type Drawing = { name: string; shapes: Shape[]; connections: DrawnLine[] }

export function arrowOf({ start, end }: { start: boolean; end: boolean }): Arrow {
  if (start) return end ? '↔' : '←'
  return end ? '→' : '–'
}

const MAX_NAME_LENGTH = 200
/** Every line of a shape repeats its text. */
const MAX_END_LENGTH = 100

/** Each drawing is a page: its name, the texts of its shapes, then its connections as `A → B: label`. */
export function drawingBlocks(drawings: Drawing[], filename: string): Block[] {
  const blocks: Block[] = []
  for (const [index, drawing] of drawings.entries()) {
    const name = oneLine(drawing.name, MAX_NAME_LENGTH)
    const metadata = { page_number: index + 1, ...(name === '' ? {} : { page_name: name }) }
    if (name !== '') blocks.push({ type: 'Title', text: name, depth: 1, links: [], metadata })
    for (const block of blocksOfDrawing(drawing)) blocks.push({ ...block, metadata })
    refuseTooManyParts(blocks.length, filename)
  }
  return blocks
}

function blocksOfDrawing({ shapes, connections }: Drawing): Block[] {
  const ordered = shapesInOrder(shapes)
  const ends = endsOf(ordered)
  const ranks = new Map(ordered.map(({ id }, rank) => [id, rank]))
  const rankOf = (id: string) => ranks.get(id) ?? Number.MAX_SAFE_INTEGER
  const lines = connections
    .toSorted((a, b) => rankOf(a.from) - rankOf(b.from) || rankOf(a.to) - rankOf(b.to))
    .map(({ from, to, text, arrow }): Block => {
      const [start, end] = [ends.get(from), ends.get(to)]
      if (!start || !end) return { ...textBlock(text), links: [] }
      const label = text === '' ? '' : `: ${text}`
      return { type: 'ListItem', depth: 1, text: `${start} ${arrow} ${end}${label}`, links: [] }
    })
  const texts = ordered.map(({ text, links }): Block => ({ ...textBlock(text), links }))
  return [...texts, ...lines].filter(({ text }) => text !== '')
}

function textBlock(text: string): Pick<Block, 'type' | 'text'> {
  return { type: textType(text), text }
}

/** A shape without text is named by the first text inside it, such as the row of a table. */
function endsOf(ordered: Shape[]): Map<string, string> {
  const ends = new Map<string, string>()
  for (const { id, text } of ordered) if (text !== '') ends.set(id, oneLine(text, MAX_END_LENGTH))
  for (const { parent, text } of ordered)
    if (text !== '' && parent !== '' && !ends.has(parent)) ends.set(parent, oneLine(text, MAX_END_LENGTH))
  return ends
}
