import { refuseTooManyParts } from '../../../limits.ts'
import { readXml } from '../xml-tags.ts'

/** `master` and `masterShape` are ids; without the latter it inherits nothing. `text` is null if it has none. */
export type VisioShape = {
  id: string
  parent: string
  master: string
  masterShape: string | null
  text: string | null
  cells: Record<string, string>
}

/** An end of a connector (`line`) that is glued to a shape. */
type VisioConnect = { line: string; cell: string; shape: string }

const CELLS = new Set('PinX PinY Width Height HideText BeginArrow EndArrow'.split(' '))

/** The shapes of a page or master, groups before what they hold, and the connectors between them. */
export function readVisioShapes(
  xml: string,
  filename: string,
): { shapes: VisioShape[]; connects: VisioConnect[] } {
  const shapes: VisioShape[] = []
  const connects: VisioConnect[] = []
  const open: VisioShape[] = []
  let pieces: string[] | null = null
  let sections = 0
  readXml(xml, filename, {
    open: (name, attributes) => {
      const shape = open.at(-1)
      if (name === 'Shape') {
        const { ID: id = '', Master: master, MasterShape: masterShape } = attributes
        const added = {
          id,
          parent: shape?.id ?? '',
          master: master ?? shape?.master ?? '',
          masterShape: masterShape ?? (master === undefined ? null : ''),
          text: null,
          cells: {},
        }
        shapes.push(added)
        open.push(added)
        refuseTooManyParts(shapes.length, filename)
      } else if (name === 'Section') sections++
      else if (name === 'Cell' && shape && sections === 0 && CELLS.has(attributes.N ?? ''))
        shape.cells[attributes.N ?? ''] = attributes.V ?? ''
      else if (name === 'Text' && shape) pieces = []
      else if (name === 'Connect') {
        const { FromSheet: line = '', FromCell: cell = '', ToSheet: to = '' } = attributes
        if (cell === 'BeginX' || cell === 'EndX') connects.push({ line, cell, shape: to })
      }
    },
    text: (data) => {
      pieces?.push(data)
    },
    close: (name) => {
      if (name === 'Section') sections--
      if (name === 'Text') {
        const shape = open.at(-1)
        if (shape && pieces) shape.text = pieces.join('')
        pieces = null
      } else if (name === 'Shape') open.pop()
    },
  })
  return { shapes, connects }
}
