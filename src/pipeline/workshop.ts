import type { DocumentWarning, Element, SourceDocument } from '../document.ts'
import type { EmbeddingCache } from './embed/cache.ts'
import type { Embedder } from './embed/embedder.ts'
import type { Plan } from './nodes.ts'
import type { FileReading } from './partition/reading/file-reading.ts'
import { chunk, partition } from './pipeline.ts'

/** What a step made of a document, and what it could not take along. */
export type Worked = { elements: Element[]; warnings: DocumentWarning[] }

export interface Embed {
  readonly dims: number
  /** One vector for each text, in order. */
  embed(texts: string[], signal: AbortSignal): Promise<ArrayLike<number>[]>
}

/** Works documents by one plan, step by step or all steps at once, but for their vectors: those are made for many at once. */
export interface Bench {
  readonly embedder: Embed | null
  partition(document: SourceDocument, signal: AbortSignal): Promise<Worked>
  chunk(worked: Worked, signal: AbortSignal): Promise<Worked>
  work(document: SourceDocument, signal: AbortSignal): Promise<Worked>
}

/** What a process works documents with: started when first needed, shared by all its jobs, closed at its end. */
export interface Workshop {
  bench(plan: Plan): Promise<Bench>
  embedder(embed: NonNullable<Plan['embed']>): Promise<Embed>
  /** Files, read in processes of their own. */
  files(): Promise<FileReading>
  close(): Promise<void>
}

export type WorkshopOptions = { cache?: EmbeddingCache }

export function createWorkshop(options: WorkshopOptions = {}): Workshop {
  const embedders = new Map<string, Embedder>()
  let reading: FileReading | null = null

  async function files(): Promise<FileReading> {
    const { createFileReading } = await import('./partition/reading/file-reading.ts')
    reading ??= createFileReading()
    return reading
  }

  async function embedder({ model }: NonNullable<Plan['embed']>): Promise<Embed> {
    // Only here: whoever asks for help or for a schema does not wait until a model's runtime is loaded.
    const { createEmbedder } = await import('./embed/embedder.ts')
    const known = embedders.get(model)
    if (known) return known
    const made = createEmbedder({ model, ...options })
    embedders.set(model, made)
    return made
  }

  return {
    bench: async (plan) => benchOf(plan, plan.embed ? await embedder(plan.embed) : null, await files()),
    embedder,
    files,
    close: async () => {
      await Promise.all([...embedders.values(), reading].map((each) => each?.close()))
    },
  }
}

/** Of parts that are there already; without `files` only markup and plain text are read. */
export function benchOf(plan: Plan, embedder: Embed | null, files: FileReading | null = null): Bench {
  const bench: Bench = {
    embedder,
    partition: (document, signal) => partition(document, { settings: plan.partition, files }, signal),
    chunk: async ({ elements, warnings }) => ({ elements: chunk(elements, plan.chunk), warnings }),
    work: async (document, signal) => bench.chunk(await bench.partition(document, signal), signal),
  }
  return bench
}
