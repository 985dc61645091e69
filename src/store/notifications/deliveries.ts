import { type Selectable, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Schema } from '../schema.ts'
import { cancelDeliveries } from './channels.ts'
import { recordEvent, TEST_EVENT } from './events.ts'

export type DeliveryRow = Omit<Selectable<Schema['webhook_deliveries']>, 'body'>

const COLUMNS = [
  'id',
  'sequence',
  'channel_id',
  'workspace_id',
  'event_type',
  'status',
  'attempts',
  'max_attempts',
  'response_status',
  'error',
  'next_attempt_at',
  'last_attempt_at',
  'created_at',
] as const

/** Newest first, those before the sequence `before`. */
export async function listDeliveries(
  db: Database,
  channelId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<DeliveryRow[]> {
  return db
    .selectFrom('webhook_deliveries')
    .select(COLUMNS)
    .where('channel_id', '=', channelId)
    .$if(before !== null, (query) => query.where('sequence', '<', before as string))
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
}

export async function readDelivery(
  db: Database,
  channelId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .select(COLUMNS)
    .where('channel_id', '=', channelId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Sends it again at once, under the same id; an ended one gets all its attempts again. */
export async function replayDelivery(db: Database, id: string): Promise<void> {
  await sql`
    update webhook_deliveries set attempts = case status when 'pending' then attempts else 0 end,
      status = 'pending', next_attempt_at = now()
    where id = ${id}::uuid
  `.execute(db)
}

const MAY_SEND = sql`(d.event_type = ${TEST_EVENT}
  or (c.enabled and (c.paused_until is null or c.paused_until <= now())))`

/** Channels with a delivery that is due. */
export async function channelsToDeliver(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from notification_channels as c where exists (
      select from webhook_deliveries as d
      where d.channel_id = c.id and d.status = 'pending' and d.next_attempt_at <= now() and ${MAY_SEND})
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type ClaimedDelivery = {
  id: string
  channel_id: string
  workspace_id: string
  event_type: string
  body: string
  attempts: number
  max_attempts: number
  url: string
  /** Sealed; the newest first. */
  secrets: Buffer[]
}

/** Longer than an attempt; after it, another worker may send the delivery of a dead one. */
const CLAIM_SECONDS = 60

/** Takes the delivery that is due longest, and counts the attempt. */
export async function claimDelivery(db: Database, channelId: string): Promise<ClaimedDelivery | undefined> {
  const { rows } = await sql<ClaimedDelivery & { secret: Buffer; old_secret: Buffer | null }>`
    update webhook_deliveries as d set attempts = d.attempts + 1, last_attempt_at = now(),
      next_attempt_at = now() + make_interval(secs => ${CLAIM_SECONDS})
    from notification_channels as c
    where c.id = d.channel_id and d.id = (
      select d.id from webhook_deliveries as d join notification_channels as c on c.id = d.channel_id
      where d.channel_id = ${channelId}::uuid and d.status = 'pending' and d.next_attempt_at <= now() and ${MAY_SEND}
      order by d.next_attempt_at, d.sequence limit 1 for update of d skip locked)
    returning d.id, d.channel_id, d.workspace_id, d.event_type, d.body, d.attempts, d.max_attempts, c.url, c.secret,
      case when c.old_secret_until > now() then c.old_secret end as old_secret
  `.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { secret, old_secret: oldSecret, ...delivery } = row
  return { ...delivery, secrets: oldSecret ? [secret, oldSecret] : [secret] }
}

/** The process stops: another may send it at once, and the attempt does not count. */
export async function returnDelivery(db: Database, id: string): Promise<void> {
  await sql`
    update webhook_deliveries set attempts = attempts - 1, next_attempt_at = now()
    where id = ${id}::uuid and status = 'pending'
  `.execute(db)
}

export async function recordDelivered(
  db: Database,
  { id, channel_id: channelId }: ClaimedDelivery,
  responseStatus: number,
): Promise<void> {
  // The channel first, as in every change of both, or two transactions could wait for each other.
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('notification_channels')
      .set({ failing_since: null })
      .where('id', '=', channelId)
      .where('failing_since', 'is not', null)
      .execute()
    await transaction
      .updateTable('webhook_deliveries')
      .set({ status: 'delivered', response_status: responseStatus, error: null, next_attempt_at: null })
      .where('id', '=', id)
      .execute()
  })
}

export type FailedAttempt = {
  responseStatus: number | null
  error: string
  /** Null if no attempt follows. */
  retryInMs: number | null
  /** The receiver asked for this pause, for all deliveries. */
  pauseMs: number | null
  /** The receiver wants no more deliveries. */
  isGone: boolean
}

/** A channel that fails this long is disabled. */
const MAX_FAILING = '5 days'

/** Tests change nothing about the channel. */
export async function recordFailedAttempt(
  db: Database,
  delivery: ClaimedDelivery,
  { responseStatus, error, retryInMs, pauseMs, isGone }: FailedAttempt,
): Promise<void> {
  const { id, channel_id: channelId, event_type: eventType } = delivery
  await db.transaction().execute(async (transaction) => {
    const channel = eventType === TEST_EVENT ? null : await recordFailure(transaction, delivery, pauseMs)
    await sql`
      update webhook_deliveries set response_status = ${responseStatus}, error = ${error},
        status = case when ${retryInMs}::double precision is null then 'failed' else status end,
        next_attempt_at = now() + ${retryInMs}::double precision * interval '1 millisecond'
      where id = ${id}::uuid and status = 'pending'
    `.execute(transaction)
    if (channel && (isGone || channel.failed_too_long))
      await disableChannel(transaction, channelId, isGone ? 'gone' : 'failing')
  })
}

/** Undefined if the channel was disabled, deleted or got another address meanwhile. */
async function recordFailure(
  db: Database,
  { channel_id: id, url }: ClaimedDelivery,
  pauseMs: number | null,
): Promise<{ failed_too_long: boolean } | undefined> {
  const { rows } = await sql<{ failed_too_long: boolean }>`
    update notification_channels set failing_since = coalesce(failing_since, now()),
      paused_until = coalesce(now() + ${pauseMs}::double precision * interval '1 millisecond', paused_until)
    where id = ${id}::uuid and enabled and url = ${url}
    returning failing_since < now() - ${MAX_FAILING}::interval as failed_too_long
  `.execute(db)
  return rows[0]
}

async function disableChannel(db: Database, id: string, reason: 'gone' | 'failing'): Promise<void> {
  const channel = await db
    .updateTable('notification_channels')
    .set({ enabled: false, disabled_reason: reason, updated_at: new Date() })
    .where('id', '=', id)
    .where('enabled', '=', true)
    .returningAll()
    .executeTakeFirst()
  if (!channel) return
  await cancelDeliveries(db, id)
  await recordEvent(db, {
    type: 'channel.disabled',
    workspaceId: channel.workspace_id,
    workflowId: channel.workflow_id,
    // Only the host: the path may hold a secret.
    details: { channel: { channel_id: id, host: new URL(channel.url).host, reason } },
  })
}
