import { cellHtml } from '../../table.ts'
import { readTags } from '../xml-tags.ts'

type Paragraph = { text: string; bullet: boolean }
/** A text or a table on a slide; `kind` is its placeholder. */
export type SlideShape = {
  kind: string
  paragraphs: Paragraph[]
  rows: string[][] | null
  top: number
  left: number
}

/** Title first, then other shapes from top to bottom, without page numbers, dates and footers. */
export function slideHtml(xml: string, what: 'slide' | 'notes' = 'slide'): string {
  const shapes = shapesOf(xml)
  return shapesHtml(what === 'notes' ? shapes.filter(({ kind }) => kind === 'body') : shapes)
}

export function shapesHtml(shapes: SlideShape[]): string {
  const shown = shapes.filter(({ kind }) => !SKIPPED.has(kind))
  const titles = shown.filter(({ kind }) => isTitle(kind))
  const rest = shown.filter(({ kind }) => !isTitle(kind))
  // If any shape with text has no position, all keep their file order.
  if (rest.every((shape) => shape.top >= 0 || shapeHtml(shape) === ''))
    rest.sort((a, b) => a.top - b.top || a.left - b.left)
  return [...titles, ...rest].map(shapeHtml).join('')
}

function shapeHtml(shape: SlideShape): string {
  return shape.rows ? tableHtml(shape.rows) : textHtml(shape)
}

const SKIPPED = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

function isTitle(kind: string): boolean {
  return kind === 'title' || kind === 'ctrTitle'
}

function shapesOf(xml: string): SlideShape[] {
  const shapes: SlideShape[] = []
  let shape: SlideShape | null = null
  let paragraph: Paragraph | null = null
  let cell: string[] | null = null
  let inText = false

  readTags(xml, {
    open: (name, attributes) => {
      if (name === 'p:sp' || name === 'p:graphicFrame')
        shape = { kind: '', top: -1, left: 0, paragraphs: [], rows: null }
      else if (name === 'p:ph' && shape) shape.kind = attributes.type ?? 'content'
      else if (name === 'a:off' && shape && shape.top < 0) {
        shape.top = Number(attributes.y) || 0
        shape.left = Number(attributes.x) || 0
      } else if (name === 'a:tbl' && shape) shape.rows = []
      else if (name === 'a:tr') shape?.rows?.push([])
      else if (name === 'a:tc') cell = []
      else if (name === 'a:p') paragraph = { text: '', bullet: shape?.kind === 'content' }
      else if (name === 'a:buChar' || name === 'a:buAutoNum') setBullet(paragraph, true)
      else if (name === 'a:buNone') setBullet(paragraph, false)
      else if (name === 'a:br' && paragraph) paragraph.text += '\n'
      else if (name === 'a:t') inText = true
    },
    text: (data) => {
      if (inText && paragraph) paragraph.text += data
    },
    close: (name) => {
      if (name === 'a:t') inText = false
      else if (name === 'a:p' && paragraph) {
        if (cell) cell.push(paragraph.text)
        else if (paragraph.text.trim() !== '') shape?.paragraphs.push(paragraph)
        paragraph = null
      } else if (name === 'a:tc') {
        shape?.rows?.at(-1)?.push((cell ?? []).join('\n'))
        cell = null
      } else if ((name === 'p:sp' || name === 'p:graphicFrame') && shape) {
        shapes.push(shape)
        shape = null
      }
    },
  })
  return shapes
}

function setBullet(paragraph: Paragraph | null, bullet: boolean): void {
  if (paragraph) paragraph.bullet = bullet
}

function textHtml({ kind, paragraphs }: { kind: string; paragraphs: Paragraph[] }): string {
  if (isTitle(kind)) {
    const title = paragraphs.map(({ text }) => text).join(' ')
    return title.trim() === '' ? '' : `<h1>${cellHtml(title)}</h1>`
  }
  if (kind === 'subTitle') return paragraphs.map(({ text }) => `<h2>${cellHtml(text)}</h2>`).join('')
  return paragraphs
    .map(({ text, bullet }) => (bullet ? `<ul><li>${cellHtml(text)}</li></ul>` : `<p>${cellHtml(text)}</p>`))
    .join('')
}

/** Presentation programs put a table's header in its first row. */
function tableHtml(rows: string[][]): string {
  const lines = rows.map((cells, index) => {
    const tag = index === 0 && rows.length > 1 ? 'th' : 'td'
    return `<tr>${cells.map((text) => `<${tag}>${cellHtml(text)}</${tag}>`).join('')}</tr>`
  })
  return `<table>${lines.join('')}</table>`
}
