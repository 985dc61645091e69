import type { Element } from '../../document.ts'
import { isPicture, isTable } from './pack.ts'
import type { SimilaritySettings } from './settings.ts'

type Embed = { embed(texts: string[], signal: AbortSignal): Promise<ArrayLike<number>[]> }

/** A 30 MB page has 300,000 elements; batches bound the memory for their vectors. */
const BATCH = 1000

/** Where the cosine with the previous element is low; ignores tables and pictures. */
export async function similarityStarts(
  elements: readonly Element[],
  { settings, embedder }: { settings: SimilaritySettings; embedder: Embed },
  signal: AbortSignal,
): Promise<number[]> {
  const compared = [...elements.keys()].filter((at) => isCompared(elements[at]))
  const starts: number[] = []
  let previous: ArrayLike<number> | undefined
  for (let from = 0; from < compared.length; from += BATCH) {
    const batch = compared.slice(from, from + BATCH)
    const vectors = await embedder.embed(
      batch.map((at) => elements[at]?.text ?? ''),
      signal,
    )
    for (const [index, at] of batch.entries()) {
      const vector = vectors[index] ?? []
      if (previous && cosine(previous, vector) < settings.similarity_threshold) starts.push(at)
      previous = vector
    }
  }
  return starts
}

function isCompared(element: Element | undefined): boolean {
  return element !== undefined && element.text !== '' && !isTable(element) && !isPicture(element)
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
