import type { Element } from '../../document.ts'
import type { TextEmbedder } from '../runner.ts'

/** Hashing the texts of a batch for the cache takes a few milliseconds. */
const BATCH = 2000

/** Elements with their vectors, in batches; those without text get none. */
export async function* embedInBatches(
  elements: Element[],
  embedder: TextEmbedder,
  signal: AbortSignal,
): AsyncGenerator<Element[]> {
  for (let from = 0; from < elements.length; from += BATCH) {
    const batch = elements.slice(from, from + BATCH)
    const texts = batch.map(({ text }) => text).filter((text) => text.trim() !== '')
    const vectors = (await embedder.embed(texts, signal)).values()
    yield batch.map((element) => {
      if (element.text.trim() === '') return element
      const vector = vectors.next().value ?? []
      // Vectors take up to hundreds of megabytes, so arrays are not copied.
      return { ...element, embeddings: Array.isArray(vector) ? vector : Array.from(vector) }
    })
  }
}
