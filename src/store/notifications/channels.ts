import { type Selectable, sql } from 'kysely'
import { AppError, notFound } from '../../errors.ts'
import type { Database } from '../database.ts'
import { deleteRestorably, restoreRow } from '../deleted-rows.ts'
import { type ListPart, type ListRange, readPart } from '../keyset.ts'
import type { Schema } from '../schema.ts'

export type ChannelRow = Selectable<Schema['notification_channels']>

/** The channels of a workspace, or those of one workflow in it. */
export type ChannelOwner = { workspaceId: string; workflowId: string | null }

const MAX_CHANNELS = 50

type NewChannel = Pick<ChannelRow, 'id' | 'url' | 'description' | 'event_types' | 'enabled' | 'secret'>

/** Throws where the owner has the maximum already. */
export async function insertChannel(
  db: Database,
  owner: ChannelOwner,
  channel: NewChannel,
): Promise<ChannelRow> {
  return db.transaction().execute(async (transaction) => {
    if ((await lockedCount(transaction, owner)) >= MAX_CHANNELS) throw tooManyChannels()
    return transaction
      .insertInto('notification_channels')
      .values({
        ...channel,
        workspace_id: owner.workspaceId,
        workflow_id: owner.workflowId,
        disabled_reason: null,
        old_secret: null,
        old_secret_until: null,
        failing_since: null,
        paused_until: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

export async function listChannels(
  db: Database,
  owner: ChannelOwner,
  { enabled, ...range }: ListRange & { enabled?: boolean | undefined },
): Promise<ListPart<ChannelRow>> {
  const all = channelsOf(db, owner).selectAll()
  return readPart(enabled === undefined ? all : all.where('enabled', '=', enabled), LIST_ORDER, range)
}

const LIST_ORDER = { at: 'created_at', id: 'id', direction: 'asc' } as const

export async function readChannel(
  db: Database,
  owner: ChannelOwner,
  id: string,
): Promise<ChannelRow | undefined> {
  return channelsOf(db, owner).selectAll().where('id', '=', id).executeTakeFirst()
}

type ChannelChange = Partial<Pick<ChannelRow, 'url' | 'description' | 'event_types' | 'enabled' | 'secret'>>

/** How long the secret before a rotation signs too. */
const OLD_SECRET_TIME = sql<Date>`now() + interval '1 day'`

export async function updateChannel(
  db: Database,
  id: string,
  change: ChannelChange,
): Promise<ChannelRow | undefined> {
  const { enabled, secret, url } = change
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('notification_channels')
      .set(({ ref }) => ({
        ...change,
        updated_at: new Date(),
        ...(secret ? { old_secret: ref('secret'), old_secret_until: OLD_SECRET_TIME } : {}),
        ...(enabled === undefined ? {} : { disabled_reason: null }),
        ...(enabled === undefined && url === undefined ? {} : { failing_since: null, paused_until: null }),
      }))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    if (enabled === false) await cancelDeliveries(transaction, id)
    return row
  })
}

/** Events before the channel is enabled again are not sent later, but can be replayed. */
export async function cancelDeliveries(db: Database, channelId: string): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', error: 'the channel was disabled', next_attempt_at: null })
    .where('channel_id', '=', channelId)
    .where('status', '=', 'pending')
    .execute()
}

/** Its deliveries are deleted too, and do not come back with it. */
export async function deleteChannel(
  db: Database,
  { workspace_id: workspaceId, id }: ChannelRow,
  by: string,
): Promise<void> {
  await deleteRestorably(db, { table: 'notification_channels', workspaceId, id, by })
}

/** Throws if `deletedBy` (null for anyone) did not delete it in the last 30 seconds, or there are too many again. */
export async function restoreChannel(
  db: Database,
  owner: ChannelOwner,
  { id, deletedBy }: { id: string; deletedBy: string | null },
): Promise<ChannelRow> {
  const { workspaceId } = owner
  return db.transaction().execute(async (transaction) => {
    const isFull = (await lockedCount(transaction, owner)) >= MAX_CHANNELS
    const deleted = { table: 'notification_channels', workspaceId, id, deletedBy } as const
    const isRestored = await restoreRow(transaction, deleted)
    const row = isRestored ? await readChannel(transaction, owner, id) : undefined
    if (!row) throw notFound('Deleted channel')
    if (isFull) throw tooManyChannels()
    return row
  })
}

function tooManyChannels(): AppError {
  return new AppError('not_possible', `there are ${MAX_CHANNELS} channels already`, {
    fix: 'Delete one that is not needed',
  })
}

/** Until the transaction ends, no other request gets the last place. */
async function lockedCount(transaction: Database, owner: ChannelOwner): Promise<number> {
  await sql`select from workspaces where id = ${owner.workspaceId}::uuid for no key update`.execute(
    transaction,
  )
  const { count } = await channelsOf(transaction, owner)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function channelsOf(db: Database, { workspaceId, workflowId }: ChannelOwner) {
  return db
    .selectFrom('notification_channels')
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', workflowId === null ? 'is' : '=', workflowId)
}
