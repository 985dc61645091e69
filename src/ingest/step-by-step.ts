import type { SourceDocument } from '../document.ts'
import type { PipelineNode } from '../pipeline/nodes.ts'
import type { PartitionResult } from '../pipeline/partition-result.ts'
import type { Runner } from '../pipeline/runner.ts'

export type Step = { node: PipelineNode; worked: PartitionResult }

/** The result of each node in order; for an embedder, its input. */
export async function* stepByStep(
  { nodes, runner }: { nodes: PipelineNode[]; runner: Runner },
  document: SourceDocument,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  let worked: PartitionResult = { elements: [], warnings: [] }
  let enriched = 0
  for (const node of nodes) {
    signal.throwIfAborted()
    if (node.type === 'partition') worked = await runner.partition(document, signal)
    if (node.type === 'prompter') worked = await runner.enrich(worked, enriched++, signal)
    if (node.type === 'chunk') worked = await runner.chunk(worked, signal)
    yield { node, worked }
  }
}
