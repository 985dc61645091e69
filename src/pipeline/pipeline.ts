import { createHash } from 'node:crypto'
import { MAX_INLINE_LENGTH } from '../compute.ts'
import type { Element, SourceDocument } from '../document.ts'
import { unsupportedFile } from '../filetype/unsupported.ts'
import { type ChunkRequest, chunkElements } from './chunk/chunk-elements.ts'
import { refuseLargeText } from './limits.ts'
import type { PipelinePlan } from './nodes.ts'
import { ARCHIVE_TYPES } from './partition/files/archives/archive-formats.ts'
import { FILE_TYPES } from './partition/files/formats.ts'
import { readPictureText } from './partition/picture-text.ts'
import type { FileReading } from './partition/reading/file-reading.ts'
import { isText, mediaType, partitionTextDocument, TEXT_TYPES } from './partition/text.ts'
import type { PartitionResult } from './partition-result.ts'

/** A reader process chunks large documents. */
export async function chunk(
  elements: Element[],
  { request, files }: { request: ChunkRequest; files: FileReading | null },
  signal: AbortSignal,
): Promise<Element[]> {
  if (!files || !isLarge(elements)) return chunkElements(elements, request)
  return (await files.chunk(elements, request, signal)).elements
}

function isLarge(elements: readonly Element[]): boolean {
  let length = 0
  for (const { text, metadata } of elements) {
    length += text.length + (metadata.text_as_html?.length ?? 0)
    if (length > MAX_INLINE_LENGTH) return true
  }
  return false
}

/** Ignores parameters of the media type, such as a charset. */
export function canPartition(filetype: string): boolean {
  return readableTypes.has(mediaType(filetype))
}

/** Files other than short text are read in a process that can be killed. */
export async function partition(
  document: SourceDocument,
  { settings, files }: { settings: PipelinePlan['partition']; files: FileReading | null },
  signal: AbortSignal,
): Promise<PartitionResult> {
  const { ref, filetype, body } = document
  const type = mediaType(filetype)
  const withoutExcluded = ({ elements, warnings }: PartitionResult) => {
    return { elements: exclude(elements, settings.exclude_elements), warnings }
  }
  if (isText(filetype)) {
    const { title, filename, url } = ref
    if (typeof body !== 'string') refuseLargeText(body.length, filename)
    const text = { body, title, filename, filetype, url }
    const isInline = !files || body.length <= MAX_INLINE_LENGTH
    const result = isInline
      ? { elements: partitionTextDocument(text), warnings: [] }
      : await files.partition(text, signal)
    const { strategy, ocr_languages: languages, exclude_elements: excluded } = settings
    const readsPictures = files && strategy === 'hi_res' && !excluded.includes('Image')
    return withoutExcluded(
      readsPictures ? await readPictureText(result, { files, languages }, signal) : result,
    )
  }
  if (!files || !readableTypes.has(type)) throw unsupportedFile(ref.filename, filetype)
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
  const read = await files.read(file, signal)
  return withoutExcluded(settings.boxes ? read : { ...read, elements: read.elements.map(withoutBox) })
}

function withoutBox(element: Element): Element {
  if (!element.metadata.box) return element
  const { box: _, ...metadata } = element.metadata
  return { ...element, metadata }
}

const readableTypes = new Set([...TEXT_TYPES, ...FILE_TYPES, ...ARCHIVE_TYPES])

/** A hash of the readable types; when it changes, skipped documents are tried again. */
export const READABLE_TYPES_HASH = createHash('sha256')
  .update([...readableTypes].sort().join(' '))
  .digest('hex')
  .slice(0, 16)

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
