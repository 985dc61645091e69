import type { Element } from '../../../document.ts'
import type { ReadContent } from '../../../ingest/document-content.ts'
import type { Entry } from '../../../ledger-entry.ts'
import type { DocumentContent } from '../../shapes/document.ts'

/** A person reads them on one page. */
const MAX_BLOCKS = 2_000
const MAX_ELEMENTS = 1_000
const MAX_CHARACTERS = 2_000_000

/** `entry` is what the index holds of the document. */
export function contentOf(
  { version, filetype, blocks, elements, warnings }: ReadContent,
  entry: Entry | undefined,
): DocumentContent {
  const shownBlocks = limited(blocks, MAX_BLOCKS, lengthOf)
  const shownElements = limited(elements, MAX_ELEMENTS, ({ element }) => lengthOf(element))
  return {
    version,
    indexed_version: entry && !entry.skipped && entry.version !== '' ? entry.version : null,
    filetype,
    indexed: entry !== undefined && holds(entry, { version, elements }),
    blocks: shownBlocks.map((block) => ({
      id: block.element_id,
      ...shownPart(block),
      depth: block.metadata.category_depth ?? 0,
      page: block.metadata.page_number ?? null,
      box: block.metadata.box ?? null,
    })),
    elements: shownElements.map(({ element, blockIds }) => ({
      element_id: element.element_id,
      ...shownPart(element),
      block_ids: blockIds,
    })),
    total_blocks: blocks.length,
    total_elements: elements.length,
    warnings: warnings.map(({ code, count, message }) => ({ code, count, message })),
  }
}

function holds(entry: Entry, { version, elements }: Pick<ReadContent, 'version' | 'elements'>): boolean {
  const ids = elements.map(({ element }) => element.element_id)
  return (
    entry.settled &&
    entry.version === version &&
    new Set(ids).symmetricDifference(new Set(entry.elementIds)).size === 0
  )
}

function shownPart({ type, text, metadata }: Element): { type: string; text: string; html: string | null } {
  return { type, text, html: metadata.text_as_html ?? null }
}

function lengthOf({ text, metadata }: Element): number {
  return text.length + (metadata.text_as_html?.length ?? 0)
}

function limited<T>(all: T[], max: number, length: (each: T) => number): T[] {
  let characters = 0
  const end = all.findIndex((each, index) => {
    characters += length(each)
    return index === max || characters > MAX_CHARACTERS
  })
  return end < 0 ? all : all.slice(0, end)
}
