import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { embeddedTexts } from '../../process-metrics.ts'
import { soleTenant, type Tenant } from '../tenant.ts'
import { cacheKey, type EmbeddingCache } from './cache.ts'
import { defaultModelName, findModel, verifyModel } from './model.ts'
import { toNumbers } from './numbers.ts'
import { WorkerPool } from './worker-pool.ts'

export interface Embedder {
  readonly name: string
  readonly dims: number
  /** Everything that changes a vector of a remote embedder. */
  readonly identity?: string
  /** One unit vector per text, in order; equal texts give identical vectors. */
  embed(texts: string[], signal: AbortSignal): Promise<number[][]>
  /** The same threads; workspaces take turns. */
  forTenant(tenant: Tenant): Pick<Embedder, 'dims' | 'identity' | 'embed'>
  stats(): EmbedderStats
  close(): Promise<void>
}

/** Counts since the start: embedded and reused texts, started and crashed workers. */
type EmbedderStats = { embedded: number; reused: number; started: number; crashed: number }

type EmbedderOptions = { model?: string; threads?: number; cache?: EmbeddingCache }

/** A small model on local cores; needs no network. */
export function createEmbedder(options: EmbedderOptions = {}): Embedder {
  const model = findModel(options.model ?? defaultModelName)
  const threads = Math.max(1, options.threads ?? availableParallelism())
  const pool = new WorkerPool({ script: workerScript(), data: model, threads })
  const { cache } = options
  let verified: Promise<void> | null = null
  let reused = 0

  async function embedMissing(texts: Map<string, string>, workspace: string, signal: AbortSignal) {
    if (texts.size === 0) return new Map<string, Float32Array>()
    verified ??= verifyModel(model).catch((error) => {
      verified = null // the file may be restored while the service runs
      throw error
    })
    await verified
    const vectors = await pool.runFor(workspace, [...texts.values()], signal)
    const computed = new Map([...texts.keys()].map((key, i) => [key, vectors[i]!]))
    await cache?.put(computed)
    return computed
  }

  const forTenant = ({ workspace }: Tenant) => ({
    dims: model.dims,
    embed: async (texts: string[], signal: AbortSignal) => {
      signal.throwIfAborted()
      const keys = texts.map((text) => cacheKey(model.name, text))
      const missing = new Map(keys.map((key, i) => [key, texts[i]!]))
      const cached = (await cache?.get([...missing.keys()])) ?? new Map<string, Float32Array>()
      for (const key of cached.keys()) missing.delete(key)
      const computed = await embedMissing(missing, workspace, signal)
      reused += texts.length - computed.size
      embeddedTexts.add({ from: 'model' }, computed.size)
      embeddedTexts.add({ from: 'cache' }, texts.length - computed.size)
      return keys.map((key) => toNumbers(cached.get(key) ?? computed.get(key)!))
    },
  })

  return {
    name: model.name,
    ...forTenant(soleTenant),
    forTenant,
    stats: () => ({ ...pool.stats, reused }),
    close: () => pool.close(),
  }
}

/** `.js` in a built package. */
function workerScript(): URL {
  return new URL(`./worker${extname(import.meta.url)}`, import.meta.url)
}
