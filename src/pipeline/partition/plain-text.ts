import { refuseTooManyParts } from '../limits.ts'
import type { Block } from './blocks.ts'
import { readMarkup } from './markup.ts'
import { collapse, isVisible, keepLines } from './running-text.ts'
import { textType } from './sentence.ts'

/** Blank lines separate paragraphs; lines within one join unless `lines` is set. */
export function readParagraphs(
  text: string,
  page: { filename: string; entities: boolean; lines?: true },
): Block[] {
  const blocks: Block[] = []
  for (const paragraph of paragraphs(text)) {
    const plain = page.entities && paragraph.includes('&') ? decodeEntities(paragraph) : paragraph
    const content = page.lines ? keepLines(plain) : collapse(plain)
    if (content === '') continue
    blocks.push({
      type: textType(content),
      text: content,
      links: [],
    })
    refuseTooManyParts(blocks.length, page.filename)
  }
  return blocks
}

/** Line by line: a pattern for blank lines would backtrack. */
function* paragraphs(text: string): Generator<string> {
  let lines: string[] = []
  for (const line of text.split(/\r\n?|\n/)) {
    if (isVisible(line)) lines.push(line)
    else if (lines.length > 0) {
      yield lines.join('\n')
      lines = []
    }
  }
  yield lines.join('\n')
}

function decodeEntities(text: string): string {
  const pieces: string[] = []
  readMarkup(text, { open: () => {}, close: () => {}, text: (data) => pieces.push(data) })
  return pieces.join('')
}
