import { Parser } from 'htmlparser2'

/** The stored source as a tree; keeps entities, because views may contain them. */
export interface Element {
  tag: string
  /** Raw, with entities; `decoded` returns the plain value. */
  attributes: Record<string, string>
  children: Piece[]
}

/** `literal`: from a CDATA section, without markup or entities. */
export interface Text {
  text: string
  literal: boolean
}

export type Piece = Element | Text

export const isElement = (piece: Piece): piece is Element => 'tag' in piece

/** Void elements, which hostile bodies leave open. */
const empty = new Set(['img', 'br', 'hr', 'col', 'input', 'wbr'])
/** Deeper than any editor; deeper content is put at this depth. */
const deepest = 400

export function parseStorage(storage: string): Piece[] {
  const root: Element = { tag: '', attributes: {}, children: [] }
  const open: Element[] = [root]
  let literal = false
  const top = (): Element => open.at(-1) as Element
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        const element: Element = { tag, attributes, children: [] }
        top().children.push(element)
        if (open.length < deepest && !empty.has(tag)) open.push(element)
      },
      ontext: (text) => {
        top().children.push({ text, literal })
      },
      oncdatastart: () => {
        literal = true
      },
      oncdataend: () => {
        literal = false
      },
      onclosetag: (tag) => {
        if (open.length > 1 && top().tag === tag) open.pop()
      },
    },
    { xmlMode: true, decodeEntities: false },
  )
  parser.end(storage)
  return root.children
}

/** An HTML parser knows every named entity. */
export function decoded(raw: string): string {
  if (!raw.includes('&')) return raw
  let plain = ''
  const parser = new Parser({
    ontext: (text) => {
      plain += text
    },
  })
  parser.end(raw.replaceAll('<', '&lt;'))
  return plain
}

/** All text below, with CDATA sections joined and entities decoded. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) =>
      isElement(piece) ? textOf(piece.children) : piece.literal ? piece.text : decoded(piece.text),
    )
    .join('')
}

export const attribute = (element: Element, name: string): string | undefined => {
  const raw = element.attributes[name]
  return raw === undefined ? undefined : decoded(raw)
}

export const childOf = (element: Element, ...tags: string[]): Element | undefined =>
  element.children.find((piece): piece is Element => isElement(piece) && tags.includes(piece.tag))

export const childrenNamed = (element: Element, tag: string): Element[] =>
  element.children.filter((piece): piece is Element => isElement(piece) && piece.tag === tag)

/** Every matching element below, outer before inner. */
export function findAll(pieces: readonly Piece[], fits: (element: Element) => boolean): Element[] {
  return pieces.flatMap((piece) =>
    isElement(piece) ? [...(fits(piece) ? [piece] : []), ...findAll(piece.children, fits)] : [],
  )
}

/** What a search index keeps: own words without markup. */
export const plainText = (storage: string): string =>
  decoded(
    storage
      .replaceAll(/<!\[CDATA\[|\]\]>/g, ' ')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
