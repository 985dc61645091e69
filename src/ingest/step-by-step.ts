import type { SourceDocument } from '../document.ts'
import type { PipelineNode } from '../pipeline/nodes.ts'
import type { PartitionResult } from '../pipeline/partition-result.ts'
import type { Runner } from '../pipeline/runner.ts'

type NodeResult = { node: PipelineNode; result: PartitionResult }

/** Runs the nodes in order and yields the result of each; for an embedder, its input. */
export async function* runNodeByNode(
  { nodes, runner }: { nodes: PipelineNode[]; runner: Runner },
  document: SourceDocument,
  signal: AbortSignal,
): AsyncGenerator<NodeResult> {
  let result: PartitionResult = { elements: [], warnings: [] }
  let enriched = 0
  for (const node of nodes) {
    signal.throwIfAborted()
    if (node.type === 'partition') result = await runner.partition(document, signal)
    if (node.type === 'prompter') result = await runner.enrich(result, enriched++, signal)
    if (node.type === 'chunk') result = await runner.chunk(result, signal)
    yield { node, result }
  }
}
