import { availableParallelism } from 'node:os'
import type { Embedder } from '../pipeline/embed/embedder.ts'

/** Texts for each core that a slice has under way at most: what a stop has to wait for is a fraction of a second. */
const EACH = 2

/**
 * An embedder that can be closed at any moment: a thread that is ended in the middle of a text takes the whole
 * process with it. So texts are handed over a few at a time, none after a stop, and closing waits for those.
 */
export function orderly(embedder: Embedder): Embedder {
  const group = EACH * availableParallelism()
  const under = new Set<Promise<unknown>>()
  const { signal: never } = new AbortController()

  const hand = (texts: string[]): Promise<number[][]> => {
    const vectors = embedder.embed(texts, never)
    // Whether it fails is for whoever asked.
    const ended: Promise<void> = vectors.then(forget, forget)
    function forget(): void {
      under.delete(ended)
    }
    under.add(ended)
    return vectors
  }

  return {
    ...embedder,
    async embed(texts, signal) {
      const vectors: number[][] = []
      const ahead: Promise<number[][]>[] = []
      for (let at = 0; at < texts.length; at += group) {
        signal.throwIfAborted()
        ahead.push(hand(texts.slice(at, at + group)))
        // The next ones are waiting before these are done, so that no core is idle in between.
        if (ahead.length > 1) vectors.push(...(await ahead.shift()!))
      }
      for (const last of ahead) vectors.push(...(await last))
      return vectors
    },
    async close() {
      await Promise.all(under)
      await embedder.close()
    },
  }
}
