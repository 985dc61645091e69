import { createHash } from 'node:crypto'
import type { Element, SourceDocument } from '../document.ts'
import { AppError } from '../errors.ts'
import { chunkByCharacter, chunkByPage, chunkByTitle } from './chunk/chunk.ts'
import { refuseLargeText } from './limits.ts'
import type { PipelinePlan } from './nodes.ts'
import { decodeText } from './partition/decode.ts'
import { FILE_TYPES } from './partition/files/formats.ts'
import {
  type HtmlPage,
  partitionHtml,
  partitionLines,
  partitionText as partitionPlain,
} from './partition/html.ts'
import type { FileReading } from './partition/reading/file-reading.ts'
import type { PartitionResult } from './partition-result.ts'

/** Chunking without vectors. Pure: equal elements and settings give equal chunks. */
export function chunk(
  elements: Element[],
  settings: Exclude<PipelinePlan['chunk'], { subtype: 'chunk_by_similarity' }>,
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

/** Ignores parameters of the media type, such as a charset. */
export function canPartition(filetype: string): boolean {
  return readableTypes.has(mediaType(filetype))
}

/** Files other than text are read in a process that can be killed. */
export async function partition(
  document: SourceDocument,
  { settings, files }: { settings: PipelinePlan['partition']; files: FileReading | null },
  signal: AbortSignal,
): Promise<PartitionResult> {
  const { ref, filetype, body } = document
  const type = mediaType(filetype)
  const partitioner = partitioners.get(type)
  if (partitioner) return { elements: partitionText(document, { settings, partitioner }), warnings: [] }
  if (!files || !readableTypes.has(type)) {
    throw new AppError('document_unsupported', `partitioning ${ref.filename}: no partitioner for ${filetype}`)
  }
  const { strategy, ocr_languages: languages } = settings
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  // With `vlm`, only files that the model cannot read get here.
  const fileStrategy = strategy === 'vlm' ? 'auto' : strategy
  const file = {
    filename: ref.filename,
    filetype: type,
    bytes,
    url: ref.url,
    strategy: fileStrategy,
    languages,
  }
  const { elements, warnings } = await files.read(file, signal)
  return { elements: exclude(elements, settings.exclude_elements), warnings }
}

function partitionText(
  { ref, filetype, body }: SourceDocument,
  {
    settings,
    partitioner,
  }: { settings: PipelinePlan['partition']; partitioner: (page: HtmlPage) => Element[] },
): Element[] {
  const isFile = typeof body !== 'string'
  if (isFile) refuseLargeText(body.length, ref.filename)
  const page: HtmlPage = {
    html: isFile ? decodeText(body, mediaType(filetype)) : body,
    // The title of a file is only its name.
    title: isFile ? '' : ref.title,
    filename: ref.filename,
    filetype,
    url: ref.url,
    // Other strategies find nothing more in markup or text.
    partitionerType: 'fast',
  }
  return exclude(partitioner(page), settings.exclude_elements)
}

const partitioners = new Map<string, (page: HtmlPage) => Element[]>([
  ['text/html', partitionHtml],
  ['text/plain', partitionPlain],
  ['text/x-rst', partitionPlain],
  ['application/json', partitionLines],
  ['application/xml', partitionLines],
])

const readableTypes = new Set([...partitioners.keys(), ...FILE_TYPES])

/** A hash of the readable types; when it changes, skipped documents are tried again. */
export const READABLE_TYPES_HASH = createHash('sha256')
  .update([...readableTypes].sort().join(' '))
  .digest('hex')
  .slice(0, 16)

function mediaType(filetype: string): string {
  return filetype.split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Children of an excluded element stay, without a parent. */
export function exclude(elements: Element[], types: readonly string[]): Element[] {
  if (types.length === 0) return elements
  const kept = elements.filter((element) => !types.includes(element.type))
  const ids = new Set(kept.map((element) => element.element_id))
  return kept.map((element) => {
    const { parent_id, ...metadata } = element.metadata
    return parent_id === undefined || ids.has(parent_id) ? element : { ...element, metadata }
  })
}
