import type { DocumentWarning, Element, SourceDocument } from '../document.ts'
import type { EmbeddingCache } from './embed/cache.ts'
import type { Embedder } from './embed/embedder.ts'
import { addContext } from './enrich/context.ts'
import { enrich } from './enrich/enrich.ts'
import { isReadByModels } from './enrich/enrichment.ts'
import { pageFromPicture } from './enrich/page-from-picture.ts'
import { type Models, type ModelsOptions, openModels } from './models/models.ts'
import type { Configured } from './models/providers.ts'
import type { Plan } from './nodes.ts'
import { partitionHtml } from './partition/html.ts'
import { canPartition, chunk, exclude, partition } from './pipeline.ts'

/** What a step made of a document, and what it could not take along. */
export type Worked = {
  elements: Element[]
  warnings: DocumentWarning[]
  /** Something that it lacks may be had the next time: it is worked again then. */
  revisit?: true
}

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
  /** Whether there is a way to read a media type by this plan. */
  reads(filetype: string): boolean
  partition(document: SourceDocument, signal: AbortSignal): Promise<Worked>
  /** The prompter node of this place among them. */
  enrich(worked: Worked, index: number, signal: AbortSignal): Promise<Worked>
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
    bench: async (plan) => benchOf(plan, plan.embed ? await embedder(plan.embed) : null, models),
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
export function benchOf(
  plan: Plan,
  embedder: Embed | null,
  models: Pick<Models, 'find'> = openModels(),
): Bench {
  const { enrich: steps = [], context } = plan
  const eyes = plan.partition.model

  const bench: Bench = {
    embedder,
    reads: (filetype) => canPartition(filetype) || (eyes !== undefined && isReadByModels(filetype)),
    async partition(document, signal) {
      const { ref, filetype, body } = document
      if (!eyes || typeof body === 'string' || !isReadByModels(filetype))
        return { elements: partition(document, plan.partition), warnings: [] }
      const picture = { mime: filetype, base64: Buffer.from(body).toString('base64') }
      const html = await pageFromPicture(picture, models.find(eyes), signal)
      const { filename } = ref
      const elements = partitionHtml({ html, title: '', filename, filetype, partitionerType: 'vlm' })
      return { elements: exclude(elements, plan.partition.exclude_elements), warnings: [] }
    },
    async enrich(worked, index, signal) {
      const step = steps[index]
      return step ? enrich(worked, { step, model: models.find(step) }, signal) : worked
    },
    async chunk(worked, signal) {
      const chunks = { ...worked, elements: chunk(worked.elements, plan.chunk) }
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
