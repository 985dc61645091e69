import type { DocumentWarning, Element, SourceDocument } from '../document.ts'
import type { EmbeddingCache } from './embed/cache.ts'
import type { Embedder } from './embed/embedder.ts'
import { type Models, type ModelsOptions, openModels } from './models/models.ts'
import type { Configured } from './models/providers.ts'
import type { Plan } from './nodes.ts'
import { chunk, partition } from './pipeline.ts'

/** What a step made of a document, and what it could not take along. */
export type Worked = { elements: Element[]; warnings: DocumentWarning[] }

export interface Embed {
  readonly dims: number
  /** One vector for each text, in order. */
  embed(texts: string[], signal: AbortSignal): Promise<ArrayLike<number>[]>
  /** The vector of what is looked for, where the model makes others for that. */
  query?(text: string, signal: AbortSignal): Promise<ArrayLike<number>>
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
  /** The endpoints of models that nodes may use. */
  readonly configured: Configured
  bench(plan: Plan): Promise<Bench>
  embedder(embed: NonNullable<Plan['embed']>): Promise<Embed>
  close(): Promise<void>
}

export type WorkshopOptions = { cache?: EmbeddingCache; models?: ModelsOptions }

export function createWorkshop(options: WorkshopOptions = {}): Workshop {
  const embedders = new Map<string, Promise<Embedder>>()
  const models = openModels(options.models)

  function embedder(embed: NonNullable<Plan['embed']>): Promise<Embed> {
    const key = JSON.stringify(embed)
    const known = embedders.get(key)
    if (known) return known
    const made = makeEmbedder(embed, options.cache, models)
    embedders.set(key, made)
    made.catch(() => embedders.delete(key))
    return made
  }

  return {
    configured: models.configured,
    bench: async (plan) => benchOf(plan, plan.embed ? await embedder(plan.embed) : null),
    embedder,
    close: async () => {
      await Promise.all([...embedders.values()].map(async (each) => (await each).close()))
    },
  }
}

async function makeEmbedder(
  embed: NonNullable<Plan['embed']>,
  cache: EmbeddingCache | undefined,
  models: Models,
): Promise<Embedder> {
  // Only here: whoever asks for help or for a schema does not wait until a model's runtime is loaded.
  if (embed.subtype === 'local') {
    const { createEmbedder } = await import('./embed/embedder.ts')
    return createEmbedder({ model: embed.model, ...(cache ? { cache } : {}) })
  }
  const { remoteEmbedder } = await import('./embed/remote.ts')
  const { remoteVectors } = await import('./embed/remote-vectors.ts')
  return remoteEmbedder(remoteVectors(embed, models), cache)
}

/** `embedder` by itself, for those who have one already. */
export function benchOf(plan: Plan, embedder: Embed | null): Bench {
  const bench: Bench = {
    embedder,
    partition: async (document) => ({ elements: partition(document, plan.partition), warnings: [] }),
    chunk: async ({ elements, warnings }) => ({ elements: chunk(elements, plan.chunk), warnings }),
    work: async (document, signal) => bench.chunk(await bench.partition(document, signal), signal),
  }
  return bench
}
