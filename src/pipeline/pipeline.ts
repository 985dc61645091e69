import { createHash } from 'node:crypto'
import type { Element, SourceDocument } from '../document.ts'
import { AppError } from '../errors.ts'
import { chunkByCharacter, chunkByPage, chunkByTitle } from './chunk/chunk.ts'
import type { Plan } from './nodes.ts'
import { decodeText } from './partition/decode.ts'
import { type HtmlPage, partitionHtml, partitionLines, partitionText } from './partition/html.ts'

/** What needs no vectors, and is pure as `partition` is: equal elements and settings give equal chunks. */
export function chunk(
  elements: Element[],
  settings: Exclude<Plan['chunk'], { subtype: 'chunk_by_similarity' }>,
): Element[] {
  switch (settings?.subtype) {
    case 'chunk_by_title':
      return chunkByTitle(elements, settings)
    case 'chunk_by_character':
      return chunkByCharacter(elements, settings)
    case 'chunk_by_page':
      return chunkByPage(elements, settings)
    default:
      return elements
  }
}

/** Whether there is a partitioner for a media type; parameters such as a charset do not count. */
export function canPartition(filetype: string): boolean {
  return partitioners.has(mediaType(filetype))
}

export function partition({ ref, filetype, body }: SourceDocument, settings: Plan['partition']): Element[] {
  const type = mediaType(filetype)
  const partitioner = partitioners.get(type)
  if (!partitioner) {
    throw new AppError('document_unsupported', `partitioning ${ref.filename}: no partitioner for ${filetype}`)
  }
  const isFile = typeof body !== 'string'
  const page: HtmlPage = {
    html: isFile ? decodeText(body, type) : body,
    // A page's title stands above its text. A file's is its name, which is no part of what it says.
    title: isFile ? '' : ref.title,
    filename: ref.filename,
    filetype,
    url: ref.url,
    // A page has its layout in its tags, so that auto and vlm have nothing to gain from more than the fast way.
    partitionerType: settings.strategy === 'hi_res' ? 'hi_res' : 'fast',
  }
  return exclude(partitioner(page), settings.exclude_elements)
}

const partitioners = new Map<string, (page: HtmlPage) => Element[]>([
  ['text/html', partitionHtml],
  ['text/plain', partitionText],
  ['text/markdown', partitionText],
  ['text/x-rst', partitionText],
  ['text/csv', partitionLines],
  ['text/tab-separated-values', partitionLines],
  ['application/json', partitionLines],
  ['application/xml', partitionLines],
])

/** Names what can be read: a document that was left out is looked at again when this is no longer the same. */
export const READABLE = createHash('sha256')
  .update([...partitioners.keys()].sort().join(' '))
  .digest('hex')
  .slice(0, 16)

function mediaType(filetype: string): string {
  return filetype.split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Elements under an excluded one stay, without a parent. */
export function exclude(elements: Element[], types: readonly string[]): Element[] {
  if (types.length === 0) return elements
  const kept = elements.filter((element) => !types.includes(element.type))
  const ids = new Set(kept.map((element) => element.element_id))
  return kept.map((element) => {
    const { parent_id, ...metadata } = element.metadata
    return parent_id === undefined || ids.has(parent_id) ? element : { ...element, metadata }
  })
}
