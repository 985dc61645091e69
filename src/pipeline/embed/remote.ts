import { runWorkers } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import { ModelRefusal } from '../models/exchange.ts'
import { cacheKey, type EmbeddingCache } from './cache.ts'
import type { Embedder } from './embedder.ts'
import { toNumbers } from './numbers.ts'

/** Some models embed what is looked for otherwise than what is found. */
export type Mode = 'document' | 'query'

/** One provider's vectors; what is true of all of them is done here. */
export interface VectorSource {
  /** For messages, such as `text-embedding-3-small of openai`. */
  readonly name: string
  /** Everything that changes a vector: provider, address, model, width. */
  readonly identity: string
  readonly dims: number
  /** What the provider takes in one request. */
  readonly batch: { texts: number; characters: number }
  /** How much of one text is sent. */
  readonly characters: number
  /** Whether it tells queries from documents. */
  readonly hasModes: boolean
  embed(texts: string[], mode: Mode, signal: AbortSignal): Promise<ArrayLike<number>[]>
}

export type RemoteEmbedder = Embedder & { query(text: string, signal: AbortSignal): Promise<number[]> }

/** Below this no text is cut any further: what is refused then is not refused for its length. */
const SHORTEST = 200

/** An embedder behind an endpoint: texts in batches that it takes, in order, each vector checked and of length 1. */
export function remoteEmbedder(source: VectorSource, cache?: EmbeddingCache): RemoteEmbedder {
  /** Learnt from refusals: servers of one's own have limits of their own, and say no rather than which. */
  let most = source.batch.texts
  /** How often a text was cut because it was refused by itself. */
  let cuts = 0
  const stats = { embedded: 0, reused: 0, started: 0, crashed: 0 }

  async function ask(texts: string[], mode: Mode, signal: AbortSignal): Promise<Float32Array[]> {
    try {
      const vectors = await source.embed(texts, mode, signal)
      if (vectors.length !== texts.length) {
        throw failed(source, `${texts.length} texts were sent and ${vectors.length} vectors came back`)
      }
      return vectors.map((vector) => checked(vector, source))
    } catch (error) {
      if (!(error instanceof ModelRefusal) || ![400, 413, 422].includes(error.remoteStatus)) throw error
      return await askForLess(texts, { mode, error }, signal)
    }
  }

  /** Half the texts at a time; a text that is refused by itself is too long for the model, and is cut. */
  async function askForLess(
    texts: string[],
    { mode, error }: { mode: Mode; error: AppError },
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    if (texts.length > 1) {
      const half = Math.ceil(texts.length / 2)
      const before = cuts
      const first = await ask(texts.slice(0, half), mode, signal)
      const second = await ask(texts.slice(half), mode, signal)
      // Where a text was too long by itself, its batch was refused for that and not for its size.
      if (cuts === before) most = Math.min(most, half)
      return [...first, ...second]
    }
    const [text = ''] = texts
    if (text.length <= SHORTEST) throw error
    cuts++
    return ask([cut(text, Math.floor(text.length / 2))], mode, signal)
  }

  async function embedMissing(wanted: Map<string, string>, mode: Mode, signal: AbortSignal) {
    const made = new Map<string, Float32Array>()
    const open = [...wanted].map(([key, text]) => ({ key, text: cut(text, source.characters) }))
    const work = async (both: AbortSignal) => {
      for (let batch = take(open, most, source); batch.length > 0; batch = take(open, most, source)) {
        both.throwIfAborted()
        const texts = batch.map(({ text }) => text)
        const vectors = await ask(texts, mode, both)
        const entries = new Map(batch.map(({ key }, index) => [key, vectors[index]!]))
        // Batch by batch: what was paid for is not asked for again where a later one fails.
        await cache?.put(entries)
        stats.embedded += batch.length
        for (const [key, vector] of entries) made.set(key, vector)
      }
    }
    await runWorkers(AT_ONCE, work, signal)
    signal.throwIfAborted()
    return made
  }

  async function embed(texts: string[], mode: Mode, signal: AbortSignal): Promise<number[][]> {
    signal.throwIfAborted()
    const about = source.hasModes ? `${source.identity} ${mode}` : source.identity
    const keys = texts.map((text) => cacheKey(about, text))
    const wanted = new Map(keys.map((key, index) => [key, texts[index]!]))
    const known = (await cache?.get([...wanted.keys()])) ?? new Map<string, Float32Array>()
    for (const key of known.keys()) wanted.delete(key)
    const made = await embedMissing(wanted, mode, signal)
    stats.reused += texts.length - made.size
    return keys.map((key) => toNumbers(known.get(key) ?? made.get(key)!))
  }

  return {
    name: source.name,
    dims: source.dims,
    identity: source.identity,
    embed: (texts, signal) => embed(texts, 'document', signal),
    query: async (text, signal) => (await embed([text], 'query', signal))[0]!,
    stats: () => ({ ...stats }),
    close: async () => {},
  }
}

// Twice that many under way would only wait at the endpoint: the exchange lets eight through for each provider.
const AT_ONCE = 4

type Wanted = { key: string; text: string }

/** The next texts that fit into one request; at least one. */
function take(open: Wanted[], most: number, { batch }: VectorSource): Wanted[] {
  let characters = 0
  let count = 0
  for (const { text } of open) {
    characters += text.length
    if (count === most || (count > 0 && characters > batch.characters)) break
    count++
  }
  return open.splice(0, count)
}

/** Never in the middle of a character that takes two. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)
}

function checked(vector: ArrayLike<number>, source: VectorSource): Float32Array {
  if (vector.length !== source.dims) {
    throw failed(
      source,
      `its vectors have ${vector.length} numbers, and ${source.dims} were expected`,
      `Set dimensions to ${vector.length}, or another model_name`,
    )
  }
  let sum = 0
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!
  const length = Math.sqrt(sum)
  if (!Number.isFinite(length) || length === 0) throw failed(source, 'a vector is not made of numbers')
  return Float32Array.from(vector, (value) => value / length)
}

function failed({ name }: VectorSource, why: string, fix?: string): AppError {
  return new AppError('embedder_failed', `embedding with ${name}: ${why}`, fix ? { fix } : {})
}
