import type { Element, SourceDocument } from '../document.ts'
import type { WorkStage } from '../document-stage.ts'
import { similarityStarts } from './chunk/similarity.ts'
import { addContext } from './enrich/context.ts'
import { enrich } from './enrich/enrich.ts'
import { maxEmbeddedChunks } from './limits.ts'
import { type Models, openModels } from './models/models.ts'
import type { PipelinePlan } from './nodes.ts'
import type { FileReading } from './partition/reading/file-reading.ts'
import type { PartitionResult } from './partition-result.ts'
import { canPartition, chunk, exclude, partition } from './pipeline.ts'
import { isReadByVlm, partitionWithVlm } from './vlm-partition.ts'

export interface TextEmbedder {
  readonly dims: number
  /** Everything outside the node that changes the vectors of a remote model. */
  readonly identity?: string
  /** One vector for each text, in order. */
  embed(texts: string[], signal: AbortSignal): Promise<ArrayLike<number>[]>
  /** The vector of a query, if the model treats queries differently. */
  query?(text: string, signal: AbortSignal): Promise<ArrayLike<number>>
}

/** Runs a pipeline; vectors are computed later, for many documents at once. */
export interface Runner {
  readonly embedder: TextEmbedder | null
  /** Whether the plan can read a media type. */
  reads(filetype: string): boolean
  partition(document: SourceDocument, signal: AbortSignal): Promise<PartitionResult>
  /** Runs the enrichment node with this index. */
  enrich(result: PartitionResult, index: number, signal: AbortSignal): Promise<PartitionResult>
  chunk(result: PartitionResult, signal: AbortSignal): Promise<PartitionResult>
  /** Calls `onStage` before each step. */
  work(
    document: SourceDocument,
    signal: AbortSignal,
    onStage?: (stage: WorkStage) => void,
  ): Promise<PartitionResult>
}

type RunnerTools = {
  models?: Pick<Models, 'find'>
  /** Compares neighbouring elements; defaults to the embedder. */
  similarityEmbedder?: TextEmbedder | null
  /** Without it only markup and plain text can be read. */
  files?: FileReading | null
}

export function runnerOf(plan: PipelinePlan, embedder: TextEmbedder | null, tools: RunnerTools = {}): Runner {
  const { models = openModels(), similarityEmbedder = embedder, files = null } = tools
  const { enrich: steps = [], context } = plan
  const vlm = plan.partition.model

  async function chunkElements(elements: Element[], signal: AbortSignal): Promise<Element[]> {
    if (!plan.chunk) return elements
    const maxChunks = embedder ? { max_chunks: maxEmbeddedChunks(embedder.dims) } : {}
    const settings = { ...plan.chunk, ...maxChunks }
    return chunk(elements, { request: { settings, starts: await starts(elements, signal) }, files }, signal)
  }

  async function starts(elements: Element[], signal: AbortSignal): Promise<number[]> {
    if (plan.chunk?.subtype !== 'chunk_by_similarity') return []
    if (!similarityEmbedder) throw new Error('chunk_by_similarity needs an embedder')
    return similarityStarts(elements, { settings: plan.chunk, embedder: similarityEmbedder }, signal)
  }

  const runner: Runner = {
    embedder,
    reads: (filetype) => canPartition(filetype) || (vlm !== undefined && isReadByVlm(filetype)),
    async partition(document, signal) {
      if (!vlm || typeof document.body === 'string' || !isReadByVlm(document.filetype))
        return partition(document, { settings: plan.partition, files }, signal)
      const partitioned = await partitionWithVlm(document, { model: models.find(vlm), files }, signal)
      return { ...partitioned, elements: exclude(partitioned.elements, plan.partition.exclude_elements) }
    },
    async enrich(result, index, signal) {
      const step = steps[index]
      return step ? enrich(result, { step, model: models.find(step) }, signal) : result
    },
    async chunk(result, signal) {
      const chunks = { ...result, elements: await chunkElements(result.elements, signal) }
      if (!context) return chunks
      return addContext(chunks, { elements: result.elements, model: models.find(context) }, signal)
    },
    async work(document, signal, onStage = () => {}) {
      onStage('partition')
      let result = await runner.partition(document, signal)
      for (const index of steps.keys()) {
        onStage(`enrich:${index}`)
        result = await runner.enrich(result, index, signal)
      }
      onStage('chunk')
      return runner.chunk(result, signal)
    },
  }
  return runner
}
