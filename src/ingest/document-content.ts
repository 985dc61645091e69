import { inflateSync } from 'node:zlib'
import type { Accepts, KnownDocument, Source } from '../connectors/source.ts'
import type { DocumentRef, DocumentWarning, Element, SourceDocument } from '../document.ts'
import { AppError } from '../errors.ts'
import { type PipelineNode, type PipelinePlan, plan } from '../pipeline/nodes.ts'
import type { PagePicture } from '../pipeline/partition/reading/protocol.ts'
import { mediaType } from '../pipeline/partition/text.ts'
import type { RunnerFactory } from '../pipeline/runner-factory.ts'
import { findRefs } from './preview.ts'
import { runNodeByNode } from './step-by-step.ts'

/** An element and the blocks that it is made of. */
type TracedElement = { element: Element; blockIds: string[] }
export type ReadContent = {
  ref: DocumentRef
  version: string
  filetype: string
  /** What the partition node gives. */
  blocks: Element[]
  /** What the later nodes make of them. */
  elements: TracedElement[]
  warnings: DocumentWarning[]
}

type ContentContext = { source: Source; nodes: PipelineNode[]; runners: RunnerFactory }

/** Reads a document now and runs the pipeline on it, without embedding. Writes nothing. */
export async function readContent(
  { source, nodes, runners }: ContentContext,
  document: KnownDocument,
  signal: AbortSignal,
): Promise<ReadContent> {
  const used = nodes.filter(({ type }) => type !== 'embed')
  const runner = await runners.create(tracing(plan(used)))
  const ref = await currentRef(source, document, signal)
  const read = await readOne({ source, accepts: (filetype) => runner.reads(filetype) }, ref, signal)
  let blocks: Element[] = []
  let elements: Element[] = []
  let warnings: DocumentWarning[] = []
  for await (const { node, result } of runNodeByNode({ nodes: used, runner }, read, signal)) {
    if (node.type === 'partition') blocks = result.elements
    elements = result.elements
    warnings = result.warnings
  }
  return {
    ref,
    version: read.version,
    filetype: mediaType(read.filetype),
    blocks,
    elements: traced(elements, blocks),
    warnings: [...(read.warnings ?? []), ...warnings],
  }
}

const PDF = 'application/pdf'

/** Reads a PDF now and draws one of its pages. */
export async function readPage(
  { source, runners }: Pick<ContentContext, 'source' | 'runners'>,
  { page, ...document }: KnownDocument & { page: number },
  signal: AbortSignal,
): Promise<PagePicture & { ref: DocumentRef; version: string }> {
  const ref = await currentRef(source, document, signal)
  const accepts = (filetype: string) => mediaType(filetype) === PDF
  const { filetype, body, version } = await readOne({ source, accepts }, ref, signal).catch((error) => {
    throw error instanceof AppError && error.code === 'document_unsupported' ? noPages(ref) : error
  })
  if (!accepts(filetype) || typeof body === 'string') throw noPages(ref)
  const { filename, url } = ref
  const file = { filename, filetype: PDF, url, bytes: body, strategy: 'fast' as const, languages: [] }
  const files = await runners.files()
  return { ref, version, ...(await files.picture(file, page, signal)) }
}

function noPages({ title }: DocumentRef): AppError {
  return new AppError('not_possible', `"${title}" is not a PDF, so it has no pages to show`)
}

/** Chunks name their elements, and blocks their place on a page; ids stay the same. */
function tracing(used: PipelinePlan): PipelinePlan {
  const chunk = used.chunk && { ...used.chunk, include_orig_elements: true }
  return { ...used, partition: { ...used.partition, boxes: true }, chunk }
}

/** The document as the source lists it now; throws if it is gone. */
export async function currentRef(
  source: Source,
  document: KnownDocument,
  signal: AbortSignal,
): Promise<DocumentRef> {
  const { recordId } = document
  const refs = source.relist
    ? (await source.relist([document], signal)).refs
    : (await findRefs(source, { recordIds: [recordId] }, signal)).refs
  const ref = refs.find((each) => each.recordId === recordId)
  if (ref) return ref
  throw new AppError('document_gone', `reading ${recordId}: the source does not show it to the service`, {
    fix: 'Check that it exists and that the account of the source can read it',
  })
}

async function readOne(
  { source, accepts }: { source: Source; accepts: Accepts },
  ref: DocumentRef,
  signal: AbortSignal,
): Promise<SourceDocument> {
  for await (const outcome of source.read([ref], accepts, signal)) {
    if ('document' in outcome) return outcome.document
    if ('error' in outcome) throw outcome.error
    throw new AppError('source_failed', `"${ref.title}" changed while it was read`, { fix: 'Try again' })
  }
  throw new AppError('source_failed', `the source returned nothing for "${ref.title}"`)
}

function traced(elements: Element[], blocks: Element[]): TracedElement[] {
  const known = new Set(blocks.map(({ element_id: id }) => id))
  let last: string[] = []
  return elements.map((element) => {
    const { orig_elements: packed, ...metadata } = element.metadata
    const ids = packed ? packedIds(packed) : known.has(element.element_id) ? [element.element_id] : []
    // Of a long element that was split, only the first part names it.
    last = ids.length > 0 || !metadata.is_continuation ? ids : last
    return { element: { ...element, metadata }, blockIds: last.filter((id) => known.has(id)) }
  })
}

function packedIds(packed: string): string[] {
  const elements = JSON.parse(inflateSync(Buffer.from(packed, 'base64')).toString()) as Element[]
  return elements.map(({ element_id: id }) => id)
}
