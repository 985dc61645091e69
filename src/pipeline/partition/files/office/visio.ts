import { refuseTooManyParts } from '../../../limits.ts'
import { type ArchiveParts, unpack } from '../archive.ts'
import { arrowOf, type Drawing, type DrawnLine, drawingBlocks } from '../drawings/drawing.ts'
import { type Label, numberOf, textLabel } from '../drawings/label.ts'
import type { ReadFile } from '../reading-file.ts'
import { brokenFile } from '../refusals.ts'
import { readXml } from '../xml-tags.ts'
import { partText, relations } from './relations.ts'
import { readVisioShapes, type VisioShape } from './visio-shapes.ts'

const PAGES = 'visio/pages/pages.xml'
const MASTERS = 'visio/masters/masters.xml'
const MAX_PAGES = 5000

/** A drawing of Visio: each page has a name, the texts of its shapes and its connectors. */
export const readVisio: ReadFile = async (file, { progress }) => {
  const { filename } = file
  const parts = unpack(file, (name) => /^visio\/(pages|masters)\/.*\.(xml|rels)$/.test(name))
  const pages = listed(parts, { path: PAGES, tag: 'Page', filename })
  if (pages.length === 0) throw brokenFile(filename, 'it lists no pages')
  refuseTooManyParts(pages.length, filename, MAX_PAGES)
  const masters = mastersOf(parts, filename)
  let count = 0
  const drawings = pages.map(({ name, target }): Drawing => {
    const { shapes, connects } = readVisioShapes(partText(parts, target), filename)
    count += shapes.length
    refuseTooManyParts(count, filename)
    progress()
    return drawingOf({ name, shapes, connects }, masters)
  })
  return { blocks: drawingBlocks(drawings, filename), warnings: [] }
}

type Listed = { id: string; name: string; target: string }

/** The pages or masters in their order, with the parts that hold them. */
function listed(
  parts: ArchiveParts,
  { path, tag, filename }: { path: string; tag: string; filename: string },
): Listed[] {
  const xml = partText(parts, path)
  if (xml === '') return []
  const targets = new Map(relations(parts, path).map(({ id, target }) => [id, target]))
  const found: Listed[] = []
  readXml(xml, filename, {
    open: (name, attributes) => {
      const current = found.at(-1)
      if (name === tag)
        found.push({ id: attributes.ID ?? '', name: attributes.Name ?? attributes.NameU ?? '', target: '' })
      else if (name === 'Rel' && current) current.target = targets.get(attributes['r:id'] ?? '') ?? ''
    },
    text: () => {},
    close: () => {},
  })
  // A part that is listed a thousand times would be read as often.
  const unique = new Map(found.toReversed().map((each) => [each.target, each]))
  return found.filter((each) => parts.has(each.target) && unique.get(each.target) === each)
}

/** The shapes of each master by their ids; the first one under an empty id. */
type Masters = Map<string, Map<string, VisioShape>>

function mastersOf(parts: ArchiveParts, filename: string): Masters {
  return new Map(
    listed(parts, { path: MASTERS, tag: 'Master', filename }).map(({ id, target }) => {
      const { shapes } = readVisioShapes(partText(parts, target), filename)
      const byId = new Map(shapes.map((shape) => [shape.id, shape]))
      if (shapes[0]) byId.set('', shapes[0])
      return [id, byId]
    }),
  )
}

type VisioPage = { name: string } & ReturnType<typeof readVisioShapes>

function drawingOf({ name, shapes, connects }: VisioPage, masters: Masters): Drawing {
  const labels = new Map(shapes.map((shape) => [shape, labelOf(shape, masters)]))
  const ends = new Map<string, { from: string; to: string }>()
  for (const { line, cell, shape } of connects) {
    const end = ends.get(line) ?? { from: '', to: '' }
    ends.set(line, cell === 'BeginX' ? { ...end, from: shape } : { ...end, to: shape })
  }
  const isLine = ({ id }: VisioShape) => ends.has(id)
  return {
    name,
    shapes: shapes
      .filter((shape) => !isLine(shape))
      .map((shape) => ({
        id: shape.id,
        parent: shape.parent,
        ...(labels.get(shape) ?? textLabel('')),
        // Visio counts from the bottom of the page.
        top: -numberOf(shape.cells.PinY) - numberOf(shape.cells.Height) / 2,
        left: numberOf(shape.cells.PinX) - numberOf(shape.cells.Width) / 2,
        height: numberOf(shape.cells.Height),
      })),
    connections: shapes.filter(isLine).map((shape) => ({
      ...(ends.get(shape.id) ?? { from: '', to: '' }),
      text: labels.get(shape)?.text ?? '',
      arrow: arrowOfLine(shape),
    })),
  }
}

/** A shape without a text of its own shows that of its master; an empty one hides it. */
function labelOf({ text, master, masterShape, cells }: VisioShape, masters: Masters): Label {
  if (cells.HideText === '1') return textLabel('')
  const inherited = masterShape === null ? null : masters.get(master)?.get(masterShape)?.text
  return textLabel(text ?? inherited ?? '')
}

/** Most connectors inherit their arrow, which points to the end. */
function arrowOfLine({ cells: { BeginArrow = '0', EndArrow = '1' } }: VisioShape): DrawnLine['arrow'] {
  return arrowOf({ start: numberOf(BeginArrow) > 0, end: numberOf(EndArrow) > 0 })
}
