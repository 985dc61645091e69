import { type Selectable, sql } from 'kysely'
import type { CheckReport, CheckStep } from '../../report.ts'
import { type Database, inTransaction } from '../database.ts'
import { type ListPart, type ListRange, readPart } from '../keyset.ts'
import { clearConnectorFailures } from '../notifications/conditions.ts'
import type { Schema } from '../schema.ts'
import { requireRoom, requireSettingsRoom } from '../workspace-limits.ts'

export type ConnectorRow = Selectable<Schema['connectors']>
export type CheckRow = Selectable<Schema['connection_checks']>
export type ConnectorKind = ConnectorRow['kind']

/** Undefined where the name is taken in this workspace. */
export async function insertConnector(
  db: Database,
  connector: Omit<ConnectorRow, 'created_at' | 'updated_at' | 'revision'>,
): Promise<ConnectorRow | undefined> {
  return inTransaction(db, async (transaction) => {
    await requireRoom(transaction, connector.workspace_id, `${connector.kind}s`)
    const inserted = await transaction
      .insertInto('connectors')
      .values({
        ...connector,
        config: JSON.stringify(connector.config),
        wire: JSON.stringify(connector.wire),
      })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'kind', 'name']).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (inserted) await requireSettingsRoom(transaction, connector.workspace_id)
    return inserted
  })
}

/** To refuse early; `insertConnector` decides. */
export async function hasConnectorNamed(
  db: Database,
  workspaceId: string,
  { kind, name }: { kind: ConnectorKind; name: string },
): Promise<boolean> {
  const found = await db
    .selectFrom('connectors')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()
  return found !== undefined
}

export async function readConnector(db: Database, id: string): Promise<ConnectorRow | undefined> {
  return db.selectFrom('connectors').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function readConnectorIn(
  db: Database,
  workspaceId: string,
  where: { kind: ConnectorKind; id: string },
): Promise<ConnectorRow | undefined> {
  return db
    .selectFrom('connectors')
    .selectAll()
    .where('id', '=', where.id)
    .where('kind', '=', where.kind)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
}

type ConnectorFilter = { kind: ConnectorKind; type?: string | undefined }

export async function listConnectors(
  db: Database,
  workspaceId: string,
  filter: ConnectorFilter,
): Promise<ConnectorRow[]> {
  return connectorsOf(db, workspaceId, filter).orderBy('created_at').execute()
}

const LIST_ORDER = { at: 'created_at', id: 'id', direction: 'asc' } as const

export async function listConnectorPart(
  db: Database,
  workspaceId: string,
  { limit, cursor, ...filter }: ListRange & ConnectorFilter,
): Promise<ListPart<ConnectorRow>> {
  return readPart(connectorsOf(db, workspaceId, filter), LIST_ORDER, { limit, cursor })
}

function connectorsOf(db: Database, workspaceId: string, { kind, type }: ConnectorFilter) {
  const all = db
    .selectFrom('connectors')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
  return type === undefined ? all : all.where('type', '=', type)
}

/** In all workspaces. */
export async function connectorsOnHost(db: Database, host: string): Promise<ConnectorRow[]> {
  return db
    .selectFrom('connectors')
    .selectAll()
    .where(sql<string>`config->>'host'`, '=', host)
    .orderBy('created_at')
    .execute()
}

export type ConnectorChange = { name?: string } & (
  | { config?: undefined }
  | Pick<ConnectorRow, 'config' | 'secrets' | 'wire'>
)

/** Undefined where the name is taken in this workspace. */
export async function updateConnector(
  db: Database,
  id: string,
  change: ConnectorChange,
): Promise<ConnectorRow | undefined> {
  const { name } = change
  const settings = change.config
    ? {
        config: JSON.stringify(change.config),
        wire: JSON.stringify(change.wire),
        secrets: change.secrets,
      }
    : {}
  return db
    .updateTable('connectors')
    .set({ ...(name ? { name } : {}), ...settings, updated_at: new Date() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: { code?: string }) => {
      if (error.code === UNIQUE_VIOLATION) return undefined
      throw error
    })
}

/** The connector as it is now. Until the transaction ends no one can change it or give it to a workflow. */
export async function lockConnector(transaction: Database, id: string): Promise<ConnectorRow | undefined> {
  return transaction.selectFrom('connectors').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Until the transaction ends no one can change them. */
export async function holdConnectors(transaction: Database, ids: string[]): Promise<ConnectorRow[]> {
  if (ids.length === 0) return []
  return transaction
    .selectFrom('connectors')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('id')
    .forShare()
    .execute()
}

/** What is still being read with the settings before is not stored any more. */
export async function raiseRevision(db: Database, id: string): Promise<void> {
  await db.updateTable('connectors').set({ revision: sql`revision + 1` }).where('id', '=', id).execute()
}

/** Null if the connector does not exist. */
export async function readRevision(db: Database, id: string): Promise<number | null> {
  const row = await db.selectFrom('connectors').select('revision').where('id', '=', id).executeTakeFirst()
  return row?.revision ?? null
}

const UNIQUE_VIOLATION = '23505'

export async function deleteConnector(db: Database, id: string): Promise<void> {
  await db.deleteFrom('connectors').where('id', '=', id).execute()
}

/** Returns the active check of the connector instead, unless the settings changed since. Call it in a transaction. */
export async function insertCheck(
  db: Database,
  check: { id: string; connectorId: string },
): Promise<CheckRow> {
  const connector = await db
    .selectFrom('connectors')
    .select('updated_at')
    .where('id', '=', check.connectorId)
    .forUpdate()
    .executeTakeFirst()
  const latest = await latestCheck(db, check.connectorId)
  if (latest?.status === 'SCHEDULED') {
    if (latest.created_at >= (connector?.updated_at ?? latest.created_at)) return latest
    const reason = 'the settings changed while the check ran, and a newer check replaced it'
    await recordCheckReport(db, latest.id, { ok: false, reason, steps: latest.steps })
  }
  return db
    .insertInto('connection_checks')
    .values({ id: check.id, connector_id: check.connectorId, status: 'SCHEDULED', reason: null, steps: '[]' })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function readCheck(db: Database, id: string): Promise<CheckRow | undefined> {
  return db.selectFrom('connection_checks').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function latestCheck(db: Database, connectorId: string): Promise<CheckRow | undefined> {
  return db
    .selectFrom('connection_checks')
    .selectAll()
    .where('connector_id', '=', connectorId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The progress of a check that has not ended. */
export async function recordCheckSteps(db: Database, id: string, steps: CheckStep[]): Promise<void> {
  await db
    .updateTable('connection_checks')
    .set({ steps: JSON.stringify(steps) })
    .where('id', '=', id)
    .where('status', '=', 'SCHEDULED')
    .execute()
}

/** The first report counts. A check that succeeds ends the failures of a connector. */
export async function recordCheckReport(db: Database, id: string, report: CheckReport): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const check = await transaction
      .updateTable('connection_checks')
      .set({
        status: report.ok ? 'SUCCESS' : 'FAILURE',
        reason: report.reason,
        steps: JSON.stringify(report.steps),
        reported_at: new Date(),
      })
      .where('id', '=', id)
      .where('status', '=', 'SCHEDULED')
      .returning('connector_id')
      .executeTakeFirst()
    if (check && report.ok) await clearConnectorFailures(transaction, [check.connector_id])
  })
}
