import type { Workflow } from '../../../service/types.ts'
import { phraseOf } from '../schedule/schedules.ts'
import type { Draft, DraftNode, NodeType } from '../types.ts'
import { kindOf, newKey, newNode } from './node-kinds.ts'
import { nodeTypes } from './order.ts'

export function emptyDraft(): Draft {
  return {
    name: '',
    sourceId: null,
    destinationId: null,
    schedule: null,
    reprocessAll: false,
    swapIndex: false,
    nodes: [newNode('partition'), newNode('chunk'), newNode('embed')],
  }
}

export function draftOf(workflow: Workflow): Draft {
  const cron = workflow.schedule.crontab_entries[0]?.cron_expression
  return {
    name: workflow.name,
    sourceId: workflow.sources[0] ?? null,
    destinationId: workflow.destinations[0] ?? null,
    schedule: cron ? (phraseOf(cron) ?? null) : null,
    reprocessAll: workflow.reprocess_all,
    swapIndex: workflow.swap_index,
    nodes: workflow.workflow_nodes.flatMap(({ id, name, type, subtype, settings }) =>
      isNodeType(type) ? [{ key: newKey(), id, name, type, subtype, settings: settings ?? {} }] : [],
    ),
  }
}

/** The API body of a new or changed workflow. */
export function bodyOf(draft: Draft): Record<string, unknown> {
  return {
    name: draft.name.trim(),
    workflow_type: 'custom',
    source_id: draft.sourceId,
    destination_id: draft.destinationId,
    schedule: draft.schedule,
    reprocess_all: draft.reprocessAll,
    swap_index: draft.swapIndex,
    workflow_nodes: draft.nodes.map(({ key: _, ...node }) => node),
  }
}

/** Compares what would be saved, without keys. */
export function isSame(one: Draft, other: Draft): boolean {
  return JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other))
}

/** Whether the next run must process everything again. */
export function pipelineDiffers(one: Draft, other: Draft): boolean {
  const work = ({ nodes }: Draft) =>
    JSON.stringify(nodes.map((node) => [node.type, kindOf(node), node.settings]))
  return work(one) !== work(other)
}

export function changeNode(draft: Draft, key: string, change: (node: DraftNode) => DraftNode): Draft {
  return { ...draft, nodes: draft.nodes.map((node) => (node.key === key ? change(node) : node)) }
}

// See nodeWarnings in src/pipeline/nodes.ts.
const EMBEDDER_READS = 1000

/** Chunks longer than the embedder reads: allowed, but probably a mistake. */
export function isBeyondEmbedder({ nodes }: Draft): boolean {
  const chunk = nodes.find(({ type }) => type === 'chunk')
  const most = chunk?.settings.max_characters
  const isLocal = nodes.some(({ type, subtype }) => type === 'embed' && subtype === 'local')
  return isLocal && typeof most === 'number' && most > EMBEDDER_READS
}

export function isNodeType(type: string): type is NodeType {
  return (nodeTypes as string[]).includes(type)
}
