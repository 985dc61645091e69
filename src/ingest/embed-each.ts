import type { Element } from '../document.ts'
import { embedInBatches } from '../pipeline/embed/embed-elements.ts'
import type { TextEmbedder } from '../pipeline/runner.ts'

type Embedding<T> = { embedder: TextEmbedder; fail(document: T, error: unknown): Promise<void> }

/** Embeds all documents at once, else one by one: a rejected text fails only its document. Returns the embedded ones. */
export async function embedEach<T extends { elements: Element[] }>(
  documents: T[],
  { embedder, fail }: Embedding<T>,
  signal: AbortSignal,
): Promise<T[]> {
  try {
    await embed(documents, embedder, signal)
    return documents
  } catch (error) {
    signal.throwIfAborted()
    const [document, ...others] = documents
    if (document && others.length === 0) await fail(document, error)
    if (others.length === 0) return []
  }
  const embedded: T[] = []
  for (const each of documents) embedded.push(...(await embedEach([each], { embedder, fail }, signal)))
  return embedded
}

async function embed(
  documents: { elements: Element[] }[],
  embedder: TextEmbedder,
  signal: AbortSignal,
): Promise<void> {
  const elements = documents.flatMap((document) => document.elements)
  let at = 0
  for await (const batch of embedInBatches(elements, embedder, signal))
    for (const { embeddings } of batch) {
      const element = elements[at++]
      if (element && embeddings) element.embeddings = embeddings
    }
}
