import type { DocumentWarning, Element, SourceDocument } from '../document.ts'
import { chunkBySimilarity } from './chunk/similarity.ts'
import type { EmbeddingCache } from './embed/cache.ts'
import type { Embedder } from './embed/embedder.ts'
import type { Plan } from './nodes.ts'
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
  close(): Promise<void>
}

export type WorkshopOptions = { cache?: EmbeddingCache }

export function createWorkshop(options: WorkshopOptions = {}): Workshop {
  const embedders = new Map<string, Embedder>()

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
    bench: async (plan) => {
      const nearness = plan.chunk?.subtype === 'chunk_by_similarity' ? await embedder(LOCAL) : null
      return benchOf(plan, plan.embed ? await embedder(plan.embed) : null, nearness)
    },
    embedder,
    close: async () => {
      await Promise.all([...embedders.values()].map((each) => each.close()))
    },
  }
}

/** What neighbours are compared with, whichever model the vectors of the chunks are made with, if any. */
const LOCAL = { subtype: 'local', model: 'all-minilm-l6-v2' } as const

/** `embedder` by itself, for those who have one already; `nearness` is what tells how near elements are. */
export function benchOf(plan: Plan, embedder: Embed | null, nearness: Embed | null = embedder): Bench {
  const bench: Bench = {
    embedder,
    partition: async (document) => ({ elements: partition(document, plan.partition), warnings: [] }),
    chunk: async ({ elements, warnings }, signal) => {
      if (plan.chunk?.subtype !== 'chunk_by_similarity') {
        return { elements: chunk(elements, plan.chunk), warnings }
      }
      if (!nearness) throw new Error('chunk_by_similarity needs an embedder')
      const near = { settings: plan.chunk, embedder: nearness }
      return { elements: await chunkBySimilarity(elements, near, signal), warnings }
    },
    work: async (document, signal) => bench.chunk(await bench.partition(document, signal), signal),
  }
  return bench
}
