import type { Element, SourceDocument } from '../document.ts'
import { chunkBySimilarity } from './chunk/similarity.ts'
import { addContext } from './enrich/context.ts'
import { enrich } from './enrich/enrich.ts'
import { type Models, openModels } from './models/models.ts'
import type { PipelinePlan } from './nodes.ts'
import type { FileReading } from './partition/reading/file-reading.ts'
import type { PartitionResult } from './partition-result.ts'
import { canPartition, chunk, exclude, partition } from './pipeline.ts'
import { partitionWithVlm, usesVlm } from './vlm-partition.ts'

export interface Embed {
  readonly dims: number
  /** Everything outside the node that changes the vectors of a remote model. */
  readonly identity?: string
  /** One vector for each text, in order. */
  embed(texts: string[], signal: AbortSignal): Promise<ArrayLike<number>[]>
  /** The vector of a query, if the model treats queries differently. */
  query?(text: string, signal: AbortSignal): Promise<ArrayLike<number>>
}

/** Runs a pipeline; vectors are made later for many documents. */
export interface Runner {
  readonly embedder: Embed | null
  /** Whether the plan can read a media type. */
  reads(filetype: string): boolean
  partition(document: SourceDocument, signal: AbortSignal): Promise<PartitionResult>
  /** Runs the enrichment node with this index. */
  enrich(worked: PartitionResult, index: number, signal: AbortSignal): Promise<PartitionResult>
  chunk(worked: PartitionResult, signal: AbortSignal): Promise<PartitionResult>
  work(document: SourceDocument, signal: AbortSignal): Promise<PartitionResult>
}

export type RunnerTools = {
  models?: Pick<Models, 'find'>
  /** Compares neighbouring elements; by default the embedder. */
  nearness?: Embed | null
  /** Without it only markup and plain text can be read. */
  files?: FileReading | null
}

export function runnerOf(plan: PipelinePlan, embedder: Embed | null, tools: RunnerTools = {}): Runner {
  const { models = openModels(), nearness = embedder, files = null } = tools
  const { enrich: steps = [], context } = plan
  const vlm = plan.partition.model

  async function chunked(elements: Element[], signal: AbortSignal): Promise<Element[]> {
    if (plan.chunk?.subtype !== 'chunk_by_similarity') return chunk(elements, plan.chunk)
    if (!nearness) throw new Error('chunk_by_similarity needs an embedder')
    return chunkBySimilarity(elements, { settings: plan.chunk, embedder: nearness }, signal)
  }

  const runner: Runner = {
    embedder,
    reads: (filetype) => canPartition(filetype) || (vlm !== undefined && usesVlm(filetype)),
    async partition(document, signal) {
      if (!vlm || typeof document.body === 'string' || !usesVlm(document.filetype))
        return partition(document, { settings: plan.partition, files }, signal)
      const partitioned = await partitionWithVlm(document, { model: models.find(vlm), files }, signal)
      return { ...partitioned, elements: exclude(partitioned.elements, plan.partition.exclude_elements) }
    },
    async enrich(worked, index, signal) {
      const step = steps[index]
      return step ? enrich(worked, { step, model: models.find(step) }, signal) : worked
    },
    async chunk(worked, signal) {
      const chunks = { ...worked, elements: await chunked(worked.elements, signal) }
      if (!context) return chunks
      return addContext(chunks, { elements: worked.elements, model: models.find(context) }, signal)
    },
    async work(document, signal) {
      let worked = await runner.partition(document, signal)
      for (const index of steps.keys()) worked = await runner.enrich(worked, index, signal)
      return runner.chunk(worked, signal)
    },
  }
  return runner
}
