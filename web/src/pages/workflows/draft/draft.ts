import type { Workflow } from '../../../service/types.ts'
import { DEFAULT_MAX_AGE_HOURS, DEFAULT_SCHEDULE } from '../permissions/permission-schedules.ts'
import { scheduleOf, UTC } from '../schedule/schedules.ts'
import type { Draft, DraftNode, NodeType } from '../types.ts'
import { newKey, newNode, subtypeOf } from './node-subtypes.ts'
import { nodeTypes } from './order.ts'

export function emptyDraft(): Draft {
  return {
    name: '',
    sourceId: null,
    destinationId: null,
    schedule: null,
    scheduleTimezone: UTC,
    reprocessAll: false,
    swapIndex: false,
    permissionsSchedule: DEFAULT_SCHEDULE,
    maxPermissionAgeHours: DEFAULT_MAX_AGE_HOURS,
    hideInIndexAfterHours: null,
    nodes: [newNode('partition'), newNode('chunk'), newNode('embed')],
  }
}

export function draftOf(workflow: Workflow): Draft {
  const cron = workflow.schedule.crontab_entries[0]?.cron_expression
  return {
    name: workflow.name,
    sourceId: workflow.sources[0] ?? null,
    destinationId: workflow.destinations[0] ?? null,
    schedule: cron ? scheduleOf(cron) : null,
    scheduleTimezone: workflow.schedule_timezone,
    reprocessAll: workflow.reprocess_all,
    swapIndex: workflow.swap_index,
    permissionsSchedule: workflow.permissions_schedule,
    maxPermissionAgeHours: workflow.max_permission_age_hours,
    hideInIndexAfterHours: workflow.hide_in_index_after_hours,
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
    schedule_timezone: draft.scheduleTimezone,
    reprocess_all: draft.reprocessAll,
    swap_index: draft.swapIndex,
    permissions_schedule: draft.permissionsSchedule,
    max_permission_age_hours: draft.maxPermissionAgeHours,
    hide_in_index_after_hours: draft.hideInIndexAfterHours,
    workflow_nodes: draft.nodes.map(({ key: _, ...node }) => node),
  }
}

/** Compares what would be saved, without keys. */
export function isSame(one: Draft, other: Draft): boolean {
  return JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other))
}

/** Whether the next run must process everything again. */
export function pipelineDiffers(one: Draft, other: Draft): boolean {
  const processing = ({ nodes }: Draft) =>
    JSON.stringify(nodes.map((node) => [node.type, subtypeOf(node), node.settings]))
  return processing(one) !== processing(other)
}

export function changeNode(draft: Draft, key: string, change: (node: DraftNode) => DraftNode): Draft {
  return { ...draft, nodes: draft.nodes.map((node) => (node.key === key ? change(node) : node)) }
}

// See nodeWarnings in src/pipeline/nodes.ts.
const EMBEDDER_MAX_CHARACTERS = 1000

/** Whether chunks can be longer than the embedder reads: allowed, but probably a mistake. */
export function exceedsEmbedderLimit({ nodes }: Draft): boolean {
  const chunk = nodes.find(({ type }) => type === 'chunk')
  const maxCharacters = chunk?.settings.max_characters
  const isLocal = nodes.some(({ type, subtype }) => type === 'embed' && subtype === 'local')
  return isLocal && typeof maxCharacters === 'number' && maxCharacters > EMBEDDER_MAX_CHARACTERS
}

export function isNodeType(type: string): type is NodeType {
  return (nodeTypes as string[]).includes(type)
}
