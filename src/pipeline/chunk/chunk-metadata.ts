import { deflateSync } from 'node:zlib'
import type { Element, ElementMetadata } from '../../document.ts'
import { mergeEntities } from '../enrich/entities.ts'
import type { Piece } from './split-text.ts'

/** A page that is one paragraph makes thousands of parts; beyond this its origin goes with the first one only. */
const MOST_REPEATED_ORIGIN = 4_000_000

/**
 * What a chunk says of the elements in it: the first one's page, everybody's languages and links, and the letter that
 * they are from. What is true
 * of a single element only (its parent, its depth, its picture) stays behind, in `orig_elements` where asked for.
 */
export function consolidate(elements: Element[]): ElementMetadata {
  const all = elements.map((element) => element.metadata)
  const first = all[0]
  const languages = [...new Set(all.flatMap((metadata) => metadata.languages ?? []))]
  const page = all.find((metadata) => metadata.page_number !== undefined)?.page_number
  const urls = all.flatMap((metadata) => metadata.link_urls ?? [])
  const texts = all.flatMap((metadata) => metadata.link_texts ?? [])
  const entities = mergeEntities(all.map((metadata) => metadata.entities))
  return {
    filename: first?.filename ?? '',
    filetype: first?.filetype ?? '',
    ...(languages.length > 0 ? { languages } : {}),
    ...(page === undefined ? {} : { page_number: page }),
    ...alike(all),
    ...(first?.partitioner_type === undefined ? {} : { partitioner_type: first.partitioner_type }),
    ...(urls.length > 0 ? { link_urls: urls, link_texts: texts } : {}),
    ...(entities ? { entities } : {}),
  }
}

/** A sheet's name, and what is true of a letter as a whole: one that another element contradicts is left out. */
function alike(all: ElementMetadata[]): Partial<ElementMetadata> {
  const told: Partial<ElementMetadata> = {}
  for (const name of ['page_name', 'subject', 'sent_from', 'sent_to', 'cc_recipient'] as const) {
    const [first, ...rest] = all.map((metadata) => metadata[name])
    const written = JSON.stringify(first)
    if (first !== undefined && rest.every((each) => each === first || JSON.stringify(each) === written))
      Object.assign(told, { [name]: first })
  }
  return told
}

/** JSON, deflated, base64: the form in which existing clients read it. A picture is in its chunk, and not here again. */
export function packOrigElements(elements: Element[]): string {
  return deflateSync(JSON.stringify(elements.map(withoutPicture))).toString('base64')
}

function withoutPicture(element: Element): Element {
  if (element.metadata.image_base64 === undefined) return element
  const { image_base64: _, ...metadata } = element.metadata
  return { ...element, metadata }
}

/** Whether every part of a split element carries its origin, or only the first. */
export function repeatsOrigin(origin: string, pieces: number): boolean {
  return origin.length * pieces <= MOST_REPEATED_ORIGIN
}

/**
 * The links of one split element, given to the parts they stand in. Links come in the order of the text, so
 * one walk along it finds them all; where several are not found, the rest stay where the walk stands.
 */
export function shareLinks(
  element: Element,
  pieces: Piece[],
): Pick<ElementMetadata, 'link_urls' | 'link_texts'>[] {
  const shares = pieces.map(() => ({ link_urls: [] as string[], link_texts: [] as string[] }))
  const urls = element.metadata.link_urls ?? []
  const texts = element.metadata.link_texts ?? []
  let cursor = 0
  let misses = 0
  let piece = 0
  for (const [index, url] of urls.entries()) {
    const text = texts[index] ?? ''
    const found = misses < 10 ? element.text.indexOf(text, cursor) : cursor
    if (found === -1) misses++
    const at = found === -1 ? cursor : found
    while (piece < pieces.length - 1 && at >= (pieces[piece]?.to ?? 0)) piece++
    shares[piece]?.link_urls.push(url)
    shares[piece]?.link_texts.push(text)
    if (found !== -1 && misses < 10) cursor = found + text.length
  }
  return shares.map((share) => (share.link_urls.length > 0 ? share : {}))
}
