import { inflateRawSync } from 'node:zlib'
import { refuseTooManyParts } from '../../../limits.ts'
import { brokenFile, tooLargeFile } from '../refusals.ts'
import { readXml } from '../xml-tags.ts'

/** A cell with the attributes of the object around it. */
export type Cell = { attributes: Record<string, string>; geometry: Record<string, string> }

export type CellPage = { name: string; cells: Cell[] }

/** Text of all compressed pages together. */
export const MAX_EXPANDED_BYTES = 50_000_000

/** The pages of a draw.io file, each as XML or as Base64 of deflated, URI-encoded XML. */
export function readMxfile(xml: string, filename: string): CellPage[] {
  const pages: CellPage[] = []
  const reader = cellReader(filename)
  let packed: string[] | null = null
  let left = MAX_EXPANDED_BYTES
  readXml(xml, filename, {
    open: (name, attributes) => {
      reader.open(name, attributes)
      if (name !== 'diagram') return
      pages.push({ name: attributes.name ?? '', cells: [] })
      packed = []
    },
    text: (data) => packed?.push(data),
    close: (name) => {
      reader.close(name)
      const page = pages.at(-1)
      if (name !== 'diagram' || !packed || !page) return
      const text = packed.join('').trim()
      packed = null
      page.cells = reader.take()
      if (page.cells.length > 0 || text === '') return
      const model = expand(text, { filename, left })
      left -= model.length
      readXml(model, filename, { ...reader, text: () => {} })
      page.cells = reader.take()
    },
  })
  return pages.length > 0 ? pages : [{ name: '', cells: reader.take() }]
}

function cellReader(filename: string) {
  let cells: Cell[] = []
  let count = 0
  let wrapper: Record<string, string> | null = null
  return {
    open: (name: string, attributes: Record<string, string>) => {
      if (isWrapper(name)) wrapper = attributes
      else if (name === 'mxCell') {
        refuseTooManyParts(++count, filename)
        cells.push({ attributes: wrapper ? { ...attributes, ...wrapper } : attributes, geometry: {} })
        wrapper = null
      } else if (name === 'mxGeometry') {
        const cell = cells.at(-1)
        if (cell) cell.geometry = attributes
      }
    },
    close: (name: string) => {
      if (isWrapper(name)) wrapper = null
    },
    take: () => {
      const taken = cells
      cells = []
      return taken
    },
  }
}

function isWrapper(name: string): boolean {
  return name === 'object' || name === 'UserObject'
}

function expand(text: string, { filename, left }: { filename: string; left: number }): string {
  try {
    const model = inflateRawSync(Buffer.from(text, 'base64'), {
      maxOutputLength: Math.max(1, left),
    }).toString()
    return model.startsWith('<') ? model : decodeURIComponent(model)
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE')
      throw brokenFile(filename, 'a page cannot be unpacked', cause)
    throw tooLargeFile(filename, 'its pages expand to more than 50 MB')
  }
}
