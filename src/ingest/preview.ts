import type { DataSource } from '../connectors/destination.ts'
import type { Source } from '../connectors/source.ts'
import type { DocumentRef, DocumentWarning, Element, SourceDocument } from '../document.ts'
import { AppError, explain } from '../errors.ts'
import { type PipelineNode, plan } from '../pipeline/nodes.ts'
import type { TextEmbedder } from '../pipeline/runner.ts'
import type { RunnerFactory } from '../pipeline/runner-factory.ts'
import { dataSource } from './data-source.ts'
import { runNodeByNode } from './step-by-step.ts'

/** The first documents of the listing, or some by id. */
export type PreviewRequest = { limit: number } | { recordIds: string[] }

/** The result of a node. `total` includes elements that are not shown; vectors are shown in part. */
export type NodeView = {
  node: Pick<PipelineNode, 'type' | 'subtype' | 'name'>
  total: number
  elements: Element[]
  dims?: number
  sample?: number[]
}

export type DocumentView = {
  recordId: string
  title: string
  url: string
  filetype: string | null
  /** The HTML as it was read, up to `MAX_HTML`. */
  html: string | null
  /** The `data_source` of its elements, with permissions. */
  dataSource: DataSource | null
  nodes: NodeView[]
  warnings: DocumentWarning[]
  error: { code: string; message: string } | null
}

type PreviewContext = { source: Source; nodes: PipelineNode[]; runners: RunnerFactory }

const MAX_HTML_BYTES = 500 * 1024
const MAX_ELEMENTS = 200
const SAMPLE_SIZE = 8

/** Runs the pipeline on a few documents, node by node. Writes nothing. */
export async function previewDocuments(
  context: PreviewContext,
  request: PreviewRequest,
  signal: AbortSignal,
): Promise<DocumentView[]> {
  const { refs, missing } = await findRefs(context.source, request, signal)
  const views = new Map<string, DocumentView>()
  const { reads } = await context.runners.create(plan(context.nodes))
  for await (const outcome of context.source.read(refs, reads, signal)) {
    const { ref } = outcome
    views.set(
      ref.recordId,
      'document' in outcome
        ? await previewDocument(context, outcome.document, signal)
        : failed(ref, 'error' in outcome ? outcome.error : changedWhileRead(ref)),
    )
  }
  signal.throwIfAborted()
  return [
    ...refs.map((ref) => views.get(ref.recordId) ?? failed(ref, nothingRead(ref))),
    ...missing.map((recordId) => failed({ recordId, title: '', url: '' }, notListed(recordId))),
  ]
}

/** Stops the listing as soon as all wanted documents are found. */
export async function findRefs(
  source: Source,
  request: PreviewRequest,
  signal: AbortSignal,
): Promise<{ refs: DocumentRef[]; missing: string[] }> {
  const ids = 'recordIds' in request ? new Set(request.recordIds) : null
  const max = 'recordIds' in request ? new Set(request.recordIds).size : request.limit
  const found = new Map<string, DocumentRef>()
  try {
    for await (const page of source.list(signal)) {
      signal.throwIfAborted()
      if (page.kind !== 'refs') continue
      const matching = page.refs.filter((ref) => (ids ? ids.has(ref.recordId) : ref.undecided !== true))
      for (const ref of matching) if (found.size < max) found.set(ref.recordId, ref)
      if (found.size === max) break
    }
  } catch (error) {
    // After the deadline no document can be read.
    throw signal.aborted ? tooSlow(found.size, max) : error
  }
  const order = 'recordIds' in request ? [...new Set(request.recordIds)] : [...found.keys()]
  return {
    refs: order.flatMap((id) => found.get(id) ?? []),
    missing: order.filter((id) => !found.has(id)),
  }
}

async function previewDocument(
  { nodes, runners }: PreviewContext,
  document: SourceDocument,
  signal: AbortSignal,
): Promise<DocumentView> {
  const { ref, filetype, body, warnings = [] } = document
  const html = typeof body === 'string' && Buffer.byteLength(body) <= MAX_HTML_BYTES ? body : null
  const metadata = dataSource(ref, document.version, new Date())
  try {
    const result = await runNodes({ nodes, runners }, document, signal)
    return {
      ...identityOf(ref),
      filetype,
      html,
      dataSource: metadata,
      nodes: result.views,
      warnings: [...warnings, ...result.warnings],
      error: null,
    }
  } catch (error) {
    signal.throwIfAborted()
    // Every document would fail the same way.
    if (!(error instanceof AppError) || error.code === 'model_tokens_used_up') throw error
    return { ...failed(ref, error), filetype, html, dataSource: metadata, warnings }
  }
}

async function runNodes(
  { nodes, runners }: Omit<PreviewContext, 'source'>,
  document: SourceDocument,
  signal: AbortSignal,
): Promise<{ views: NodeView[]; warnings: DocumentWarning[] }> {
  const runner = await runners.create(plan(nodes))
  const views: NodeView[] = []
  let warnings: DocumentWarning[] = []
  for await (const { node, result } of runNodeByNode({ nodes, runner }, document, signal)) {
    const { type, subtype, name } = node
    const { elements } = result
    warnings = result.warnings
    views.push({
      node: { type, subtype, name },
      total: elements.length,
      ...(type === 'embed'
        ? { elements: [], ...(await sampleVector(runner.embedder, elements, signal)) }
        : { elements: elements.slice(0, MAX_ELEMENTS).map(withoutBinaryData) }),
    })
  }
  return { views, warnings }
}

/** One vector shows that the model works, and its dimension. */
async function sampleVector(
  embedder: TextEmbedder | null,
  elements: Element[],
  signal: AbortSignal,
): Promise<{ dims?: number; sample?: number[] }> {
  if (!embedder) return {}
  const text = elements.find((element) => element.text.trim() !== '')?.text
  if (text === undefined) return { dims: embedder.dims }
  const [vector] = await embedder.embed([text], signal)
  return { dims: embedder.dims, sample: Array.from(vector ?? []).slice(0, SAMPLE_SIZE) }
}

/** Images take megabytes, and the HTML view shows them already. */
function withoutBinaryData({ embeddings: _, ...element }: Element): Element {
  const { image_base64: __, ...metadata } = element.metadata
  return { ...element, metadata }
}

function identityOf({ recordId, title, url }: Pick<DocumentRef, 'recordId' | 'title' | 'url'>) {
  return { recordId, title, url }
}

function failed(ref: Pick<DocumentRef, 'recordId' | 'title' | 'url'>, error: AppError): DocumentView {
  const nothing = { filetype: null, html: null, dataSource: null, nodes: [], warnings: [] }
  return { ...identityOf(ref), ...nothing, error: explain(error) }
}

function changedWhileRead({ title }: DocumentRef): AppError {
  return new AppError('source_failed', `"${title}" changed while it was read`, { fix: 'Try again' })
}

function nothingRead({ title }: DocumentRef): AppError {
  return new AppError('source_failed', `the source returned nothing for "${title}"`)
}

function notListed(recordId: string): AppError {
  return new AppError('document_gone', `${recordId} is not in the listing of the source`)
}

function tooSlow(found: number, max: number): AppError {
  return new AppError(
    'source_failed',
    `the listing took too long: ${found} of ${max} documents were found before the deadline`,
    { fix: 'Preview the first documents instead, or name fewer scopes in the source' },
  )
}
