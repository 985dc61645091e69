import type { Thing } from '../../components/thing-link.tsx'
import type { Incomplete } from '../../service/incomplete.ts'
import { notificationsTexts } from '../../texts/notifications.ts'
import { count } from '../../texts/times.ts'
import { errorName } from '../jobs/error-advice.ts'
import type { FeedEvent } from './types.ts'

const { details: texts, events: names } = notificationsTexts

type EventLink = Thing & { name: string }

export type EventDetails = {
  /** For StateBadge. */
  state: string
  label: string
  link: EventLink | null
  text: string
  /** What limits left out of a run. */
  incomplete: Incomplete | null
}

const states: Record<string, string> = {
  'job.scheduled': 'SCHEDULED',
  'job.in_progress': 'pending',
  'job.stopped': 'STOPPED',
  'job.failed': 'FAILED',
  'deletions.held_back': 'warning',
  'permissions.too_old': 'hidden',
  'connector.failing': 'FAILURE',
  'channel.disabled': 'warning',
}

/** What an event says, from the payload that webhooks receive too. */
export function detailsOf({ event_type: type, payload }: FeedEvent): EventDetails {
  const job = part(payload, 'job')
  const label = Object.hasOwn(names, type) ? names[type as keyof typeof names] : type
  return {
    state: type === 'job.completed' ? stateOf(job) : (states[type] ?? type),
    label,
    link: linkOf(payload),
    text: textOf(type, payload),
    // The service writes it as in a job.
    incomplete: type === 'job.completed' ? (job.incomplete as Incomplete | null) : null,
  }
}

const PASSING = new Set(['job.scheduled', 'job.in_progress'])

/** One row per run: its start is hidden once it has ended, and marked as read with its end. */
export function rowsOf(events: FeedEvent[]): { event: FeedEvent; ids: string[] }[] {
  const rows: { event: FeedEvent; ids: string[] }[] = []
  for (const event of events) {
    const job = part(event.payload, 'job').job_id
    const newer = PASSING.has(event.event_type)
      ? rows.find((row) => part(row.event.payload, 'job').job_id === job)
      : undefined
    if (newer) newer.ids.push(event.id)
    else rows.push({ event, ids: [event.id] })
  }
  return rows
}

function linkOf(payload: FeedEvent['payload']): EventLink | null {
  const [job, workflow, connector] = [
    part(payload, 'job'),
    part(payload, 'workflow'),
    part(payload, 'connector'),
  ]
  if (job.job_id) return { kind: 'job', id: text(job, 'job_id'), name: text(job, 'workflow_name') }
  if (workflow.workflow_id)
    return { kind: 'workflow', id: text(workflow, 'workflow_id'), name: text(workflow, 'workflow_name') }
  if (!connector.connector_id) return null
  const kind = connector.kind === 'source' ? 'source' : 'destination'
  return { kind, id: text(connector, 'connector_id'), name: text(connector, 'name') }
}

function textOf(type: string, payload: FeedEvent['payload']): string {
  switch (type) {
    case 'job.completed':
      return countsText(part(part(payload, 'job'), 'counts'))
    case 'job.failed':
      return errorName(text(part(payload, 'job'), 'error_code'))
    case 'deletions.held_back':
      return texts.heldBack(number(payload, 'held_back'))
    case 'permissions.too_old':
      return texts.tooOld(number(payload, 'scopes'), number(payload, 'max_permission_age_hours'))
    case 'connector.failing':
      return texts.failing(number(payload, 'failures'), errorName(text(payload, 'error_code')))
    case 'channel.disabled': {
      const channel = part(payload, 'channel')
      return (channel.reason === 'gone' ? texts.gone : texts.unreachable)(text(channel, 'host'))
    }
    default:
      return ''
  }
}

/** A run that a limit cut is not successful. */
function stateOf(job: Record<string, unknown>): string {
  const state = text(job, 'processing_status')
  return state === 'SUCCESS' && job.incomplete ? 'warning' : state
}

function countsText(counts: Record<string, unknown>): string {
  const parts = Object.entries(texts.counts).flatMap(([name, word]) => {
    const documents = number(counts, name)
    return documents > 0 ? [`${count(documents)} ${word}`] : []
  })
  return parts.length > 0 ? parts.join(', ') : texts.nothing
}

function part(from: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = from[name]
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function text(from: Record<string, unknown>, name: string): string {
  const value = from[name]
  return typeof value === 'string' ? value : ''
}

function number(from: Record<string, unknown>, name: string): number {
  const value = from[name]
  return typeof value === 'number' ? value : 0
}
