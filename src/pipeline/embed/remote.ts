import { runWorkers } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import { embeddedTexts } from '../../process-metrics.ts'
import { ModelRefusal } from '../models/exchange.ts'
import { estimateModelTokens, type TokenMeter, withTokens } from '../models/token-meter.ts'
import { soleTenant, type Tenant } from '../tenant.ts'
import { cacheKey, type EmbeddingCache } from './cache.ts'
import type { Embedder } from './embedder.ts'
import { toNumbers } from './numbers.ts'

/** Some models embed queries differently from documents. */
export type EmbeddingMode = 'document' | 'query'

/** One provider's API; batching, retries and checks are shared. */
export interface VectorSource {
  /** For messages, such as `text-embedding-3-small of openai`. */
  readonly name: string
  /** Everything that changes a vector: provider, address, model, dimension. */
  readonly identity: string
  readonly dims: number
  /** The provider's limits for one request. */
  readonly batch: { texts: number; characters: number }
  /** How much of one text is sent. */
  readonly characters: number
  /** Whether the model has a query mode. */
  readonly hasModes: boolean
  embed(texts: string[], mode: EmbeddingMode, signal: AbortSignal): Promise<ArrayLike<number>[]>
}

export type RemoteEmbedder = Embedder & {
  query(text: string, signal: AbortSignal): Promise<number[]>
  /** The same embedder, which counts the texts that it sends. */
  forTenant(tenant: Tenant): Pick<RemoteEmbedder, 'dims' | 'identity' | 'embed' | 'query'>
}

type Use = { mode: EmbeddingMode; meter: TokenMeter }

/** Shorter texts are not cut: length cannot be why they are refused. */
const MIN_LENGTH = 200

/** An embedder behind an endpoint: batches texts, keeps order, checks and normalises vectors. */
export function remoteEmbedder(source: VectorSource, cache?: EmbeddingCache): RemoteEmbedder {
  const requests = adaptiveRequests(source)
  const stats = { embedded: 0, reused: 0, started: 0, crashed: 0 }

  async function embedMissing(missing: Map<string, string>, { mode, meter }: Use, signal: AbortSignal) {
    const computed = new Map<string, Float32Array>()
    const pending = [...missing].map(([key, text]) => ({ key, text: truncate(text, source.characters) }))
    const work = async (workerSignal: AbortSignal) => {
      for (
        let batch = takeBatch(pending, requests.maxTexts(), source);
        batch.length > 0;
        batch = takeBatch(pending, requests.maxTexts(), source)
      ) {
        workerSignal.throwIfAborted()
        const texts = batch.map(({ text }) => text)
        const vectors = await withTokens(meter, estimateModelTokens(...texts), () =>
          requests.send(texts, mode, workerSignal),
        )
        const entries = new Map(batch.map(({ key }, index) => [key, vectors[index]!]))
        // Caches each batch, so that it is not paid for again after a later failure.
        await cache?.put(entries)
        stats.embedded += batch.length
        embeddedTexts.add({ from: 'model' }, batch.length)
        for (const [key, vector] of entries) computed.set(key, vector)
      }
    }
    await runWorkers(CONCURRENCY, work, signal)
    signal.throwIfAborted()
    return computed
  }

  async function embed(texts: string[], use: Use, signal: AbortSignal): Promise<number[][]> {
    signal.throwIfAborted()
    const modelKey = source.hasModes ? `${source.identity} ${use.mode}` : source.identity
    const keys = texts.map((text) => cacheKey(modelKey, text))
    const missing = new Map(keys.map((key, index) => [key, texts[index]!]))
    const cached = (await cache?.get([...missing.keys()])) ?? new Map<string, Float32Array>()
    for (const key of cached.keys()) missing.delete(key)
    const computed = await embedMissing(missing, use, signal)
    stats.reused += texts.length - computed.size
    embeddedTexts.add({ from: 'cache' }, texts.length - computed.size)
    return keys.map((key) => toNumbers(cached.get(key) ?? computed.get(key)!))
  }

  const forTenant = ({ meter }: Tenant) => ({
    dims: source.dims,
    identity: source.identity,
    embed: (texts: string[], signal: AbortSignal) => embed(texts, { mode: 'document', meter }, signal),
    query: async (text: string, signal: AbortSignal) =>
      (await embed([text], { mode: 'query', meter }, signal))[0]!,
  })

  return {
    name: source.name,
    ...forTenant(soleTenant),
    forTenant,
    stats: () => ({ ...stats }),
    close: async () => {},
  }
}

/** Requests that become smaller when the endpoint refuses one. */
function adaptiveRequests(source: VectorSource) {
  /** Learned from refusals, because private servers do not report their limits. */
  let maxTexts = source.batch.texts
  /** How often a single text was refused and cut. */
  let truncations = 0

  async function send(texts: string[], mode: EmbeddingMode, signal: AbortSignal): Promise<Float32Array[]> {
    try {
      const vectors = await source.embed(texts, mode, signal)
      if (vectors.length !== texts.length) {
        throw embeddingError(source, `sent ${texts.length} texts, received ${vectors.length} vectors`)
      }
      return vectors.map((vector) => checkAndNormalise(vector, source))
    } catch (error) {
      if (!(error instanceof ModelRefusal) || ![400, 413, 422].includes(error.remoteStatus)) throw error
      return await sendInHalves(texts, { mode, error }, signal)
    }
  }

  /** Halves the batch; if a single text is refused, cuts it, because it is too long. */
  async function sendInHalves(
    texts: string[],
    { mode, error }: { mode: EmbeddingMode; error: AppError },
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    if (texts.length > 1) {
      const half = Math.ceil(texts.length / 2)
      const truncationsBefore = truncations
      const first = await send(texts.slice(0, half), mode, signal)
      const second = await send(texts.slice(half), mode, signal)
      // If a single text was too long, the batch size was not the reason.
      if (truncations === truncationsBefore) maxTexts = Math.min(maxTexts, half)
      return [...first, ...second]
    }
    const [text = ''] = texts
    if (text.length <= MIN_LENGTH) throw error
    truncations++
    return send([truncate(text, Math.floor(text.length / 2))], mode, signal)
  }

  return { send, maxTexts: () => maxTexts }
}

// The exchange allows a workspace eight requests per provider; more would only wait.
const CONCURRENCY = 4

type PendingText = { key: string; text: string }

/** The next texts that fit into one request; at least one. */
function takeBatch(pending: PendingText[], maxTexts: number, { batch }: VectorSource): PendingText[] {
  let characters = 0
  let count = 0
  for (const { text } of pending) {
    characters += text.length
    if (count === maxTexts || (count > 0 && characters > batch.characters)) break
    count++
  }
  return pending.splice(0, count)
}

/** Never splits a surrogate pair. */
function truncate(text: string, length: number): string {
  if (text.length <= length) return text
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)
}

function checkAndNormalise(vector: ArrayLike<number>, source: VectorSource): Float32Array {
  if (vector.length !== source.dims) {
    throw embeddingError(
      source,
      `its vectors have dimension ${vector.length} instead of ${source.dims}`,
      `Set dimensions to ${vector.length} or choose another model_name`,
    )
  }
  let sum = 0
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!
  const length = Math.sqrt(sum)
  if (!Number.isFinite(length) || length === 0) throw embeddingError(source, 'a vector is zero or not finite')
  return Float32Array.from(vector, (value) => value / length)
}

function embeddingError({ name }: VectorSource, why: string, fix?: string): AppError {
  return new AppError('embedder_failed', `embedding with ${name}: ${why}`, fix ? { fix } : {})
}
