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
  /** Everything that changes a vector beside what its node says, where it is not made on this machine. */
  readonly identity?: string
  /** One vector for each text, in order. */
  embed(texts: string[], signal: AbortSignal): Promise<ArrayLike<number>[]>
  /** The vector of what is looked for, where the model makes others for that. */
  query?(text: string, signal: AbortSignal): Promise<ArrayLike<number>>
}

/** Works documents by one plan, step by step or all steps at once, but for their vectors: those are made for many at once. */
export interface Runner {
  readonly embedder: Embed | null
  /** Whether there is a way to read a media type by this plan. */
  reads(filetype: string): boolean
  partition(document: SourceDocument, signal: AbortSignal): Promise<PartitionResult>
  /** The prompter node of this place among them. */
  enrich(worked: PartitionResult, index: number, signal: AbortSignal): Promise<PartitionResult>
  chunk(worked: PartitionResult, signal: AbortSignal): Promise<PartitionResult>
  work(document: SourceDocument, signal: AbortSignal): Promise<PartitionResult>
}

export type RunnerTools = {
  models?: Pick<Models, 'find'>
  /** Tells how near elements are to each other, whichever model makes the vectors of the chunks. */
  nearness?: Embed | null
  /** Without it only markup and plain text are read. */
  files?: FileReading | null
}

export function runnerOf(plan: PipelinePlan, embedder: Embed | null, tools: RunnerTools = {}): Runner {
  const { models = openModels(), nearness = embedder, files = null } = tools
  const { enrich: steps = [], context } = plan
  const eyes = plan.partition.model

  async function chunked(elements: Element[], signal: AbortSignal): Promise<Element[]> {
    if (plan.chunk?.subtype !== 'chunk_by_similarity') return chunk(elements, plan.chunk)
    if (!nearness) throw new Error('chunk_by_similarity needs an embedder')
    return chunkBySimilarity(elements, { settings: plan.chunk, embedder: nearness }, signal)
  }

  const bench: Runner = {
    embedder,
    reads: (filetype) => canPartition(filetype) || (eyes !== undefined && usesVlm(filetype)),
    async partition(document, signal) {
      if (!eyes || typeof document.body === 'string' || !usesVlm(document.filetype))
        return partition(document, { settings: plan.partition, files }, signal)
      const seen = await partitionWithVlm(document, { model: models.find(eyes), files }, signal)
      return { ...seen, elements: exclude(seen.elements, plan.partition.exclude_elements) }
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
      let worked = await bench.partition(document, signal)
      for (const index of steps.keys()) worked = await bench.enrich(worked, index, signal)
      return bench.chunk(worked, signal)
    },
  }
  return bench
}
