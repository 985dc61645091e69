import { refuseTooManyParts } from '../../../limits.ts'
import type { Block } from '../../blocks.ts'
import { collapse } from '../../running-text.ts'
import { textType } from '../../sentence.ts'
import { oneLine } from '../one-line.ts'
import type { DiagramSource, DiagramStatement } from './statements.ts'

/** Every edge of a node repeats its name. */
const MAX_END_LENGTH = 100

/** Titles, texts and edges in the order of the source. A node is written out unless an edge names it. */
export function sourceBlocks({ statements, names }: DiagramSource, filename: string): Block[] {
  const nameOf = (id: string) => collapse(names.get(id) || id)
  const isNamed = new Set<string>()
  for (const each of statements)
    if (each.kind === 'edge') for (const id of [each.from, each.to]) isNamed.add(id)
  const written = new Set<string>()
  const textOfStatement = (each: DiagramStatement): string => {
    if (each.kind === 'edge') {
      const ends = [each.from, each.to].map((id) => oneLine(nameOf(id), MAX_END_LENGTH))
      return `${ends.join(` ${each.arrow} `)}${each.text === '' ? '' : `: ${collapse(each.text)}`}`
    }
    if (each.kind !== 'node') return each.text
    const name = nameOf(each.id)
    if (written.has(each.id) || (isNamed.has(each.id) && name.length <= MAX_END_LENGTH)) return ''
    written.add(each.id)
    return name
  }
  const blocks: Block[] = []
  for (const each of statements) {
    const text = textOfStatement(each)
    if (text === '') continue
    blocks.push({ ...typeOf(each, text), text, links: [] })
    refuseTooManyParts(blocks.length, filename)
  }
  return blocks
}

function typeOf({ kind }: DiagramStatement, text: string): Pick<Block, 'type' | 'depth'> {
  if (kind === 'title') return { type: 'Title', depth: 1 }
  if (kind === 'edge') return { type: 'ListItem', depth: 1 }
  return { type: textType(text) }
}
