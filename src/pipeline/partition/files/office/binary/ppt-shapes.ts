import { childOf, childrenOf, PPT, type PptRecord } from './ppt-records.ts'
import { type PptText, textsOf } from './ppt-text.ts'

export type PptShape = { texts: PptText[]; rows: string[][] | null; top: number; left: number }

const MAX_DEPTH = 40
/** Placeholders that every slide repeats: dates, slide numbers, footers and headers. */
const REPEATED = new Set([7, 8, 9, 10])
const IS_TABLE = 0x39f

/** The shapes of a slide with text; a text may be in the outline of the presentation. */
export function shapesOfSlide(slide: PptRecord, outline: PptText[]): PptShape[] {
  const drawing = childOf(slide, PPT.DRAWING)
  const shapes: PptShape[] = []
  const visit = (record: { data: DataView }, depth: number) => {
    for (const child of childrenOf(record)) {
      if (child.type === PPT.SHAPE) {
        const shape = shapeOf(child, outline)
        if (shape) shapes.push(shape)
      } else if (child.type === PPT.GROUP && isTable(child)) shapes.push(tableOf(child, outline))
      else if (child.type >= 0xf000 && child.type <= PPT.GROUP && depth < MAX_DEPTH) visit(child, depth + 1)
    }
  }
  if (drawing) visit(drawing, 0)
  return shapes
}

function shapeOf(record: PptRecord, outline: PptText[]): PptShape | null {
  let texts: PptText[] = []
  let [top, left] = [0, 0]
  for (const child of childrenOf(record)) {
    if (child.type === PPT.SHAPE_DATA && isRepeated(child)) return null
    if (child.type === PPT.TEXT_BOX) texts = [...textsOf(child), ...outlineTexts(child, outline)]
    else if (child.type === PPT.CHILD_ANCHOR && child.data.byteLength >= 8)
      [left, top] = [child.data.getInt32(0, true), child.data.getInt32(4, true)]
    else if (child.type === PPT.ANCHOR && child.data.byteLength >= 16)
      [top, left] = [child.data.getInt32(0, true), child.data.getInt32(4, true)]
    else if (child.type === PPT.ANCHOR && child.data.byteLength >= 8)
      [top, left] = [child.data.getInt16(0, true), child.data.getInt16(2, true)]
  }
  return texts.length > 0 ? { texts, rows: null, top, left } : null
}

function outlineTexts(textBox: PptRecord, outline: PptText[]): PptText[] {
  const reference = childOf(textBox, PPT.OUTLINE_TEXT)?.data
  const text = reference && reference.byteLength >= 4 ? outline[reference.getUint32(0, true)] : undefined
  return text ? [text] : []
}

function isRepeated(shapeData: PptRecord): boolean {
  const placeholder = childOf(shapeData, PPT.PLACEHOLDER)?.data
  return placeholder !== undefined && placeholder.byteLength >= 5 && REPEATED.has(placeholder.getUint8(4))
}

/** The first shape of a group describes the group. */
function isTable(group: PptRecord): boolean {
  const properties = childOf(childOf(group, PPT.SHAPE), PPT.TABLE_PROPERTIES)
  if (!properties) return false
  for (let index = 0; index < properties.instance && index * 6 + 6 <= properties.data.byteLength; index++)
    if ((properties.data.getUint16(index * 6, true) & 0x3fff) === IS_TABLE)
      return (properties.data.getUint32(index * 6 + 2, true) & 1) === 1
  return false
}

/** Cells are shapes; their positions give rows and columns. */
function tableOf(group: PptRecord, outline: PptText[]): PptShape {
  const cells: PptShape[] = []
  for (const child of childrenOf(group)) {
    const cell = child.type === PPT.SHAPE ? shapeOf(child, outline) : null
    if (cell) cells.push(cell)
  }
  const tops = [...new Set(cells.map(({ top }) => top))].sort((a, b) => a - b)
  const lefts = [...new Set(cells.map(({ left }) => left))].sort((a, b) => a - b)
  const texts = new Map(cells.map((cell) => [`${cell.top} ${cell.left}`, cell.texts]))
  const rows = tops.map((top) =>
    lefts.map((left) =>
      (texts.get(`${top} ${left}`) ?? [])
        .flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text))
        .join('\n'),
    ),
  )
  return { texts: [], rows, top: groupTop(group, cells), left: lefts[0] ?? 0 }
}

function groupTop(group: PptRecord, cells: PptShape[]): number {
  const anchor = childOf(childOf(group, PPT.SHAPE), PPT.ANCHOR)?.data
  if (anchor && anchor.byteLength >= 16) return anchor.getInt32(0, true)
  if (anchor && anchor.byteLength >= 8) return anchor.getInt16(0, true)
  return cells[0]?.top ?? 0
}
