import type { SourceDocument } from '../document.ts'
import type { Node } from '../pipeline/nodes.ts'
import type { Bench, Worked } from '../pipeline/workshop.ts'

export type Step = Worked & { node: Node }

/** What each node makes of a document, one after the other; the last has everything, vectors included. */
export async function* stepByStep(
  { nodes, bench }: { nodes: Node[]; bench: Bench },
  document: SourceDocument,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  let worked: Worked = { elements: [], warnings: [] }
  for (const node of nodes) {
    signal.throwIfAborted()
    if (node.type === 'partition') worked = await bench.partition(document, signal)
    if (node.type === 'chunk') worked = await bench.chunk(worked, signal)
    if (node.type === 'embed') worked = await embedded(worked, bench, signal)
    yield { node, ...worked }
  }
}

async function embedded(worked: Worked, { embedder }: Bench, signal: AbortSignal): Promise<Worked> {
  if (!embedder) return worked
  const texts = worked.elements.map(({ text }) => text).filter((text) => text.trim() !== '')
  const vectors = (await embedder.embed(texts, signal)).values()
  const elements = worked.elements.map((element) =>
    element.text.trim() === '' ? element : { ...element, embeddings: Array.from(vectors.next().value ?? []) },
  )
  return { ...worked, elements }
}
