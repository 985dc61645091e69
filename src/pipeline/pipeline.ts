import type { Element, SourceDocument } from '../document.ts'
import { AppError } from '../errors.ts'
import { chunkByCharacter, chunkByTitle } from './chunk/chunk.ts'
import type { Plan } from './nodes.ts'
import { type HtmlPage, partitionHtml, partitionText } from './partition/html.ts'

/**
 * A document → the elements that are written of it, but for their vectors: those are made for a whole slice at
 * once. Pure: equal documents and plans give equal elements.
 */
export function workDocument(document: SourceDocument, plan: Plan): Element[] {
  const elements = partition(document, plan.partition)
  switch (plan.chunk?.subtype) {
    case 'chunk_by_title':
      return chunkByTitle(elements, plan.chunk)
    case 'chunk_by_character':
      return chunkByCharacter(elements, plan.chunk)
    default:
      return elements
  }
}

export function partition({ ref, filetype, body }: SourceDocument, settings: Plan['partition']): Element[] {
  const page: HtmlPage = {
    html: body,
    title: ref.title,
    filename: ref.filename,
    filetype,
    url: ref.url,
    // A page has its layout in its tags, so that auto has nothing to gain from more than the fast way.
    partitionerType: settings.strategy === 'auto' ? 'fast' : settings.strategy,
  }
  const partitioner = partitioners.get(filetype.split(';')[0]?.trim().toLowerCase() ?? '')
  if (!partitioner) {
    throw new AppError('document_unsupported', `partitioning ${ref.filename}: no partitioner for ${filetype}`)
  }
  return exclude(partitioner(page), settings.exclude_elements)
}

const partitioners = new Map<string, (page: HtmlPage) => Element[]>([
  ['text/html', partitionHtml],
  ['text/plain', partitionText],
])

/** Elements under an excluded one stay, without a parent. */
function exclude(elements: Element[], types: readonly string[]): Element[] {
  if (types.length === 0) return elements
  const kept = elements.filter((element) => !types.includes(element.type))
  const ids = new Set(kept.map((element) => element.element_id))
  return kept.map((element) => {
    const { parent_id, ...metadata } = element.metadata
    return parent_id === undefined || ids.has(parent_id) ? element : { ...element, metadata }
  })
}
