import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Vectors by model and text; equal texts are embedded once, even across runs. */
export interface EmbeddingCache {
  get(keys: string[]): Promise<Map<string, Float32Array>>
  put(entries: Map<string, Float32Array>): Promise<void>
}

export function cacheKey(modelName: string, text: string): string {
  return hash('sha256', `${modelName}\n${text}`)
}

export function memoryCache({ maxBytes }: { maxBytes: number }): EmbeddingCache {
  const vectors = new LRUCache<string, Float32Array>({
    maxSize: maxBytes,
    // 200 bytes for key and entry.
    sizeCalculation: (vector) => vector.byteLength + 200,
  })
  return {
    get: async (keys) => {
      const found = new Map<string, Float32Array>()
      for (const key of keys) {
        const vector = vectors.get(key)
        if (vector) found.set(key, vector)
      }
      return found
    },
    put: async (entries) => {
      for (const [key, vector] of entries) vectors.set(key, vector)
    },
  }
}
