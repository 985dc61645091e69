import type { FileToRead, ReadFile } from '../reading-file.ts'
import { decodeFile } from '../text-content.ts'
import { arrowOf, type Drawing, type DrawnLine, drawingBlocks } from './drawing.ts'
import { htmlLabel, type Label, numberOf, textLabel, withLink } from './label.ts'
import { type Cell, type CellPage, readMxfile } from './mxfile.ts'
import type { Shape } from './reading-order.ts'

/** A diagram of draw.io (diagrams.net). */
export const readDrawio: ReadFile = async (file) => {
  return readDrawioXml(decodeFile(file, 'application/xml'), file)
}

export function readDrawioXml(xml: string, { filename }: FileToRead): ReturnType<ReadFile> {
  const drawings = readMxfile(xml, filename).map(drawingOf)
  return Promise.resolve({ blocks: drawingBlocks(drawings, filename), warnings: [] })
}

function drawingOf({ name, cells }: CellPage): Drawing {
  const inside = Map.groupBy(cells, ({ attributes }) => attributes.parent ?? '')
  const hidden = hiddenCells(cells, inside)
  const visible = cells.filter((cell) => !hidden.has(cell))
  const edges = visible.filter(({ attributes }) => attributes.edge === '1')
  const edgeIds = new Set(edges.map(({ attributes }) => attributes.id))
  const isShape = ({ attributes: { vertex, parent } }: Cell) => vertex === '1' && !edgeIds.has(parent)
  return {
    name,
    shapes: visible.filter(isShape).map(shapeOf),
    connections: edges.map((edge) => {
      const id = edge.attributes.id ?? ''
      const labels = (inside.get(id) ?? []).filter((cell) => !hidden.has(cell))
      // Of lines with the same id, the first has the labels.
      inside.delete(id)
      return connectionOf(edge, labels)
    }),
  }
}

/** Hidden layers and cells, with all that is inside them. */
function hiddenCells(cells: Cell[], inside: Map<string, Cell[]>): Set<Cell> {
  const hidden = new Set(cells.filter(({ attributes }) => attributes.visible === '0'))
  const ids = new Set([''])
  for (const { attributes } of hidden) {
    if (attributes.id === undefined || ids.has(attributes.id)) continue
    ids.add(attributes.id)
    for (const cell of inside.get(attributes.id) ?? []) hidden.add(cell)
  }
  return hidden
}

function shapeOf({ attributes, geometry }: Cell): Shape {
  return {
    id: attributes.id ?? '',
    parent: attributes.parent ?? '',
    ...withLink(labelOf(attributes), attributes.link),
    top: numberOf(geometry.y),
    left: numberOf(geometry.x),
    height: numberOf(geometry.height),
  }
}

/** The texts at the ends of a line are cells inside it. */
function connectionOf({ attributes }: Cell, labels: Cell[]): DrawnLine {
  const { source = '', target = '', style = '' } = attributes
  const texts = [attributes, ...labels.map((label) => label.attributes)].map((each) => labelOf(each).text)
  return {
    from: source,
    to: target,
    text: texts.filter((text) => text !== '').join(', '),
    arrow: arrowOf({
      start: /(?:^|;)startArrow=(?!none)/.test(style),
      end: !/(?:^|;)endArrow=none/.test(style),
    }),
  }
}

function labelOf(attributes: Record<string, string>): Label {
  const { label, value = '', style = '', placeholders } = attributes
  const given = label ?? value
  const text = placeholders === '1' ? withValues(given, attributes) : given
  return /(?:^|;)html=1/.test(style) ? htmlLabel(text) : textLabel(text)
}

/** A label may name a long value a million times. */
const MAX_VALUES_LENGTH = 100_000

function withValues(text: string, attributes: Record<string, string>): string {
  let left = MAX_VALUES_LENGTH
  return text.replace(/%(\w{1,100})%/g, (all, name) => {
    const value = Object.hasOwn(attributes, name) ? (attributes[name] ?? all) : all
    left -= value.length
    return left < 0 ? all : value
  })
}
