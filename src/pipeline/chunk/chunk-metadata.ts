import { deflateSync } from 'node:zlib'
import type { Element, ElementMetadata } from '../../document.ts'
import { mergeEntities } from '../enrich/entities.ts'
import type { Piece } from './split-text.ts'

/** Merges the metadata of elements. Parent, depth and picture remain only in `orig_elements`. */
export function mergeMetadata(elements: Element[]): ElementMetadata {
  const all = elements.map((element) => element.metadata)
  const first = all[0]
  const languages = [...new Set(all.flatMap((metadata) => metadata.languages ?? []))]
  const page = all.find((metadata) => metadata.page_number !== undefined)?.page_number
  const urls = all.flatMap((metadata) => metadata.link_urls ?? [])
  const texts = all.flatMap((metadata) => metadata.link_texts ?? [])
  const confidence = all.reduce((least, metadata) => Math.min(least, metadata.detection_class_prob ?? 1), 1)
  const isRecognised = all.some((metadata) => metadata.detection_class_prob !== undefined)
  const entities = mergeEntities(all.map((metadata) => metadata.entities))
  return {
    filename: first?.filename ?? '',
    filetype: first?.filetype ?? '',
    ...(languages.length > 0 ? { languages } : {}),
    ...(page === undefined ? {} : { page_number: page }),
    ...(first?.start_seconds === undefined ? {} : { start_seconds: first.start_seconds }),
    ...sharedFields(all),
    ...(first?.partitioner_type === undefined ? {} : { partitioner_type: first.partitioner_type }),
    ...(urls.length > 0 ? { link_urls: urls, link_texts: texts } : {}),
    ...(isRecognised ? { detection_class_prob: confidence } : {}),
    ...(entities ? { entities } : {}),
  }
}

const SHARED = [
  ...(['file_directory', 'path_in_archive', 'page_name'] as const),
  ...(['subject', 'sent_from', 'sent_to', 'cc_recipient'] as const),
] as const

/** Place in an archive, sheet name and email fields, kept only if all elements agree. */
function sharedFields(all: ElementMetadata[]): Partial<ElementMetadata> {
  const shared: Partial<ElementMetadata> = {}
  for (const name of SHARED) {
    const first = all[0]?.[name]
    if (first === undefined) continue
    const serialized = JSON.stringify(first)
    if (all.every(({ [name]: each }) => each === first || JSON.stringify(each) === serialized))
      Object.assign(shared, { [name]: first })
  }
  return shared
}

/** Deflated JSON in base64, as existing clients expect, without pictures. */
export function packOrigElements(elements: Element[]): string {
  return deflateSync(JSON.stringify(elements.map(withoutPicture))).toString('base64')
}

function withoutPicture(element: Element): Element {
  if (element.metadata.image_base64 === undefined) return element
  const { image_base64: _, ...metadata } = element.metadata
  return { ...element, metadata }
}

/** Assigns links to the parts of a split element in one pass; stops searching after ten missing links. */
export function assignLinks(
  element: Element,
  pieces: Piece[],
): Pick<ElementMetadata, 'link_urls' | 'link_texts'>[] {
  const assigned = pieces.map(() => ({ link_urls: [] as string[], link_texts: [] as string[] }))
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
    assigned[piece]?.link_urls.push(url)
    assigned[piece]?.link_texts.push(text)
    if (found !== -1 && misses < 10) cursor = found + text.length
  }
  return assigned.map((share) => (share.link_urls.length > 0 ? share : {}))
}
