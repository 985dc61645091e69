import { Parser } from 'htmlparser2'

/** The stored source as a tree; keeps entities, because views may contain them. */
export interface StorageElement {
  tag: string
  /** Raw, with entities; `decoded` returns the plain value. */
  attributes: Record<string, string>
  children: StorageNode[]
}

/** `literal`: from a CDATA section, without markup or entities. */
export interface StorageText {
  text: string
  literal: boolean
}

export type StorageNode = StorageElement | StorageText

export const isElement = (piece: StorageNode): piece is StorageElement => 'tag' in piece

/** Void elements, which hostile bodies leave open. */
const empty = new Set(['img', 'br', 'hr', 'col', 'input', 'wbr'])
/** Deeper than any editor; deeper content is put at this depth. */
const deepest = 400

export function parseStorage(storage: string): StorageNode[] {
  const root: StorageElement = { tag: '', attributes: {}, children: [] }
  const open: StorageElement[] = [root]
  let literal = false
  const top = (): StorageElement => open.at(-1) as StorageElement
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        const element: StorageElement = { tag, attributes, children: [] }
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
export function decodeEntities(raw: string): string {
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
export function textOf(pieces: readonly StorageNode[]): string {
  return pieces
    .map((piece) =>
      isElement(piece) ? textOf(piece.children) : piece.literal ? piece.text : decodeEntities(piece.text),
    )
    .join('')
}

export const attribute = (element: StorageElement, name: string): string | undefined => {
  const raw = element.attributes[name]
  return raw === undefined ? undefined : decodeEntities(raw)
}

export const childOf = (element: StorageElement, ...tags: string[]): StorageElement | undefined =>
  element.children.find((piece): piece is StorageElement => isElement(piece) && tags.includes(piece.tag))

export const childrenNamed = (element: StorageElement, tag: string): StorageElement[] =>
  element.children.filter((piece): piece is StorageElement => isElement(piece) && piece.tag === tag)

/** Every matching element below, outer before inner. */
export function findAll(
  pieces: readonly StorageNode[],
  fits: (element: StorageElement) => boolean,
): StorageElement[] {
  return pieces.flatMap((piece) =>
    isElement(piece) ? [...(fits(piece) ? [piece] : []), ...findAll(piece.children, fits)] : [],
  )
}

/** What a search index keeps: own words without markup. */
export const plainText = (storage: string): string =>
  decodeEntities(
    storage
      .replaceAll(/<!\[CDATA\[|\]\]>/g, ' ')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
