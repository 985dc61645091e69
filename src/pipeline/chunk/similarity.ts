import type { Element } from '../../document.ts'
import { chunkWhere } from './chunk.ts'
import { isPicture, isTable } from './pack.ts'
import type { SimilaritySettings } from './settings.ts'

type Embed = { embed(texts: string[], signal: AbortSignal): Promise<ArrayLike<number>[]> }

/** A 30 MB page has 300,000 elements; batches bound the memory for their vectors. */
const BATCH = 1000

/** Starts a chunk if the cosine with the previous element is low; ignores tables and pictures. */
export async function chunkBySimilarity(
  elements: readonly Element[],
  { settings, embedder }: { settings: SimilaritySettings; embedder: Embed },
  signal: AbortSignal,
): Promise<Element[]> {
  const compared = elements.filter((each) => each.text !== '' && !isTable(each) && !isPicture(each))
  const chunkStarts = new Set<Element>()
  let previous: ArrayLike<number> | undefined
  for (let from = 0; from < compared.length; from += BATCH) {
    const batch = compared.slice(from, from + BATCH)
    const vectors = await embedder.embed(
      batch.map(({ text }) => text),
      signal,
    )
    for (const [index, element] of batch.entries()) {
      const vector = vectors[index] ?? []
      if (previous && cosine(previous, vector) < settings.similarity_threshold) chunkStarts.add(element)
      previous = vector
    }
  }
  return chunkWhere(elements, settings, (element) => chunkStarts.has(element))
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let product = 0
  let squaresA = 0
  let squaresB = 0
  for (let at = 0; at < a.length; at++) {
    const x = a[at] ?? 0
    const y = b[at] ?? 0
    product += x * y
    squaresA += x * x
    squaresB += y * y
  }
  return product === 0 ? 0 : product / Math.sqrt(squaresA * squaresB)
}
