import type { z } from 'zod'
import { stageOrder, stagesOfNodes } from '../../../document-stage.ts'
import type { JobDocumentCounts } from '../../../store/jobs/job-stages.ts'
import type { JobRow } from '../../../store/jobs/jobs.ts'
import type { jobDetailsShape } from '../../shapes/resources.ts'

type NodeStat = z.infer<typeof jobDetailsShape>['node_stats'][number]

/**
 * The counts of a node add up to the documents that reach it: those that did not fail or leave in an earlier one.
 * `ready` includes documents in earlier nodes.
 */
export function nodeStats(job: JobRow, counts: JobDocumentCounts): NodeStat[] {
  const { settings } = job
  const nodes = [
    {
      node_name: 'Source',
      node_type: 'source',
      node_subtype: settings.source_type ?? '',
    },
    ...settings.nodes.map(({ name, type, subtype }) => {
      return { node_name: name, node_type: type, node_subtype: subtype }
    }),
    {
      node_name: 'Destination',
      node_type: 'destination',
      node_subtype: settings.destination_type ?? '',
    },
  ]
  const numbers = countByNode(stagesOfNodes(settings.nodes), counts)
  return nodes.map((node, at) => ({ ...node, ...numbers[at]! }))
}

type NodeCounts = Pick<NodeStat, 'ready' | 'in_progress' | 'success' | 'failure'>

function countByNode(nodeStages: string[], { states, stages }: JobDocumentCounts): NodeCounts[] {
  const orders = ['read', ...nodeStages, 'write'].map(stageOrder)
  const text = orders.map(() => ({ working: 0, failed: 0 }))
  const permissions = { ready: 0, in_progress: 0, success: states.permissions_only, failure: 0 }
  let stopped = 0
  for (const { stage, state, documents } of stages) {
    if (state === 'skipped') stopped += documents
    if (stage === 'permissions') {
      if (state === 'pending' || state === 'skipped') permissions.ready += documents
      if (state === 'in_progress') permissions.in_progress += documents
      if (state === 'failed') permissions.failure += documents
      continue
    }
    // A pipeline without this node passes the document on to the next.
    const node = text[orders.findIndex((order) => order >= stageOrder(stage))]!
    if (state === 'in_progress') node.working += documents
    if (state === 'failed') node.failed += documents
  }

  const waiting = states.pending + stopped - permissions.ready
  const counts = text.map(({ working, failed }, at) => ({
    ready: waiting + sum(text.slice(0, at).map((before) => before.working)),
    in_progress: working,
    success:
      states.new + states.changed + sum(text.slice(at + 1).map((after) => after.working + after.failed)),
    failure: failed,
  }))
  // The source has nothing to read for them.
  counts[0]!.success += states.unchanged + states.skipped - stopped + total(permissions)
  return counts.with(-1, addUp(counts.at(-1)!, permissions))
}

function addUp(a: NodeCounts, b: NodeCounts): NodeCounts {
  return {
    ready: a.ready + b.ready,
    in_progress: a.in_progress + b.in_progress,
    success: a.success + b.success,
    failure: a.failure + b.failure,
  }
}

function total({ ready, in_progress, success, failure }: NodeCounts): number {
  return ready + in_progress + success + failure
}

function sum(values: number[]): number {
  return values.reduce((all, value) => all + value, 0)
}
