import { type Selectable, sql } from 'kysely'
import type { Database } from '../database.ts'
import { type ListPart, type ListRange, readPart } from '../keyset.ts'
import type { Schema } from '../schema.ts'

export type ChannelRow = Selectable<Schema['notification_channels']>

/** The channels of a workspace, or those of one workflow in it. */
export type ChannelOwner = { workspaceId: string; workflowId: string | null }

export const MAX_CHANNELS = 50

type NewChannel = Pick<ChannelRow, 'id' | 'url' | 'description' | 'event_types' | 'enabled' | 'secret'>

/** Undefined where the owner has the maximum already. */
export async function insertChannel(
  db: Database,
  { workspaceId, workflowId }: ChannelOwner,
  channel: NewChannel,
): Promise<ChannelRow | undefined> {
  return db.transaction().execute(async (transaction) => {
    // Two requests must not both get the last place.
    await sql`select from workspaces where id = ${workspaceId}::uuid for no key update`.execute(transaction)
    const { count } = await channelsOf(transaction, { workspaceId, workflowId })
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    if (Number(count) >= MAX_CHANNELS) return undefined
    return transaction
      .insertInto('notification_channels')
      .values({
        ...channel,
        workspace_id: workspaceId,
        workflow_id: workflowId,
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

export async function deleteChannel(db: Database, id: string): Promise<void> {
  await db.deleteFrom('notification_channels').where('id', '=', id).execute()
}

function channelsOf(db: Database, { workspaceId, workflowId }: ChannelOwner) {
  return db
    .selectFrom('notification_channels')
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', workflowId === null ? 'is' : '=', workflowId)
}
