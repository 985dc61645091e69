import { refuseTooManyParts } from '../../../limits.ts'
import type { Block } from '../../blocks.ts'
import { collapse } from '../../running-text.ts'
import { textType } from '../../sentence.ts'
import type { FileToRead, ReadFile } from '../reading-file.ts'
import { decodeFile } from '../text-content.ts'
import { readXml } from '../xml-tags.ts'
import { readDrawioXml } from './drawio.ts'

/** The words of a vector graphic, or the diagram that draw.io puts into it. */
export const readSvg: ReadFile = async (file) => {
  const { blocks, diagram } = svgBlocks(decodeFile(file, 'application/xml'), file)
  return diagram ? readDrawioXml(diagram, file) : { blocks, warnings: [] }
}

/** HTML inside a graphic has blocks of its own. */
const TEXT_TAGS = new Set(['text', 'title', 'desc', 'foreignObject'])
const LINE_TAGS = new Set(['tspan', 'p', 'div', 'br', 'li', 'td', 'tr', 'span'])
const SILENT_TAGS = new Set(['style', 'script', 'metadata'])

function svgBlocks(xml: string, { filename }: FileToRead): { blocks: Block[]; diagram: string } {
  const blocks: Block[] = []
  let diagram = ''
  let depth = 0
  let silent = 0
  let pieces: string[] | null = null
  let outer = ''
  readXml(xml, filename, {
    open: (tag, attributes) => {
      const name = tag.replace(/^svg:/, '')
      if (depth++ === 0 && /^<mx(?:file|GraphModel)[\s>]/.test(attributes.content ?? ''))
        diagram = attributes.content ?? ''
      if (SILENT_TAGS.has(name)) silent++
      if (!pieces && silent === 0 && TEXT_TAGS.has(name)) {
        pieces = []
        outer = name
      } else if (LINE_TAGS.has(name)) pieces?.push(' ')
    },
    text: (data) => {
      if (silent === 0) pieces?.push(data)
    },
    close: (tag) => {
      const name = tag.replace(/^svg:/, '')
      depth--
      if (SILENT_TAGS.has(name) && silent > 0) silent--
      if (LINE_TAGS.has(name)) pieces?.push(' ')
      if (!pieces || name !== outer) return
      const text = collapse(pieces.join(''))
      pieces = null
      if (text === '') return
      const isHeading = name === 'title' && depth === 1
      const type = isHeading ? ({ type: 'Title', depth: 1 } as const) : { type: textType(text) }
      blocks.push({ ...type, text, links: [] })
      refuseTooManyParts(blocks.length, filename)
    },
  })
  return { blocks, diagram }
}
