import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'

/** What a channel can receive, in the order of the documentation. */
export const EVENT_TYPES = [
  'job.scheduled',
  'job.in_progress',
  'job.progress',
  'job.completed',
  'job.stopped',
  'job.failed',
  'deletions.held_back',
  'permissions.too_old',
  'connector.failing',
  'channel.disabled',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Only for the channel that is tested. */
export const TEST_EVENT = 'channel.test'

/** The first attempt and nine retries. */
const MAX_ATTEMPTS = 10

/** Holds ids, names and counts only: receivers are outside the permissions of the source. */
export type NewEvent = {
  type: EventType
  workspaceId: string
  workflowId: string | null
  details: object
}

/** Adds the event to the feed, and a delivery per channel. Call it in the transaction that changes the state. */
export async function recordEvent(db: Database, event: NewEvent): Promise<void> {
  const payload = payloadOf(event)
  await sql`
    with event as (
      insert into notifications (id, workspace_id, workflow_id, event_type, payload)
      values (${randomUUID()}::uuid, ${event.workspaceId}::uuid, ${event.workflowId}::uuid, ${event.type}, ${payload}::jsonb)
    ) ${deliveriesOf(event, { payload, maxAttempts: MAX_ATTEMPTS })}
  `.execute(db)
}

/** For events that the feed leaves out and that are old after one attempt. */
export async function recordBriefEvent(db: Database, event: NewEvent): Promise<void> {
  const payload = payloadOf(event)
  await deliveriesOf(event, { payload, maxAttempts: 1, unless: earlierOneWaits(event) }).execute(db)
}

/** A test for one channel, even if it is disabled. Returns the id of the delivery. */
export async function recordTestEvent(
  db: Database,
  channel: { id: string; workspace_id: string; workflow_id: string | null },
): Promise<string> {
  const id = randomUUID()
  const details = { channel: { channel_id: channel.id, workflow_id: channel.workflow_id } }
  await db
    .insertInto('webhook_deliveries')
    .values({
      id,
      channel_id: channel.id,
      workspace_id: channel.workspace_id,
      event_type: TEST_EVENT,
      body: payloadOf({ type: TEST_EVENT, details }),
      max_attempts: 1,
      response_status: null,
      error: null,
      last_attempt_at: null,
    })
    .execute()
  return id
}

function payloadOf({ type, details }: { type: string; details: object }): string {
  return storableJson({ type, timestamp: new Date().toISOString(), ...details })
}

/** Receivers that are slower than the events would get ever older ones. */
const WAITS_FROM = '20 seconds'

function earlierOneWaits({ type }: NewEvent) {
  return sql`exists (
    select from webhook_deliveries as d where d.channel_id = c.id and d.status = 'pending'
      and d.event_type = ${type} and d.created_at < now() - ${WAITS_FROM}::interval)`
}

type NewDeliveries = { payload: string; maxAttempts: number; unless?: RawBuilder<unknown> }

/** Locks the channels: without it, a deletion at the same time would fail the transaction of the event. */
function deliveriesOf(event: NewEvent, { payload, maxAttempts, unless = sql`false` }: NewDeliveries) {
  return sql`
    insert into webhook_deliveries (id, channel_id, workspace_id, event_type, body, max_attempts)
    select gen_random_uuid(), c.id, c.workspace_id, ${event.type}, ${payload}, ${maxAttempts}
    from notification_channels as c
    where c.workspace_id = ${event.workspaceId}::uuid and c.enabled and ${event.type} = any(c.event_types)
      and (c.workflow_id is null or c.workflow_id = ${event.workflowId}::uuid) and not ${unless}
    for key share of c
  `
}
