import { type Selectable, sql } from 'kysely'
import { AppError } from '../../errors.ts'
import { type Database, inTransaction } from '../database.ts'
import { writesIndexOf } from '../ledger/ledgers.ts'
import type { RunEstimate, Schema } from '../schema.ts'
import { storableJson } from '../storable.ts'
import { requireRoom } from '../workspace-limits.ts'

export type WorkflowRow = Selectable<Schema['workflows']>

type DefaultColumn =
  | 'created_at'
  | 'updated_at'
  | 'deleted_at'
  | 'ledger_id'
  | 'swap_given_up'
  | 'permissions_due_at'
  | 'pass_requested'
  | 'estimate'

export async function insertWorkflow(
  db: Database,
  workflow: Omit<WorkflowRow, DefaultColumn>,
): Promise<WorkflowRow | undefined> {
  return inTransaction(db, async (transaction) => {
    await requireRoom(transaction, workflow.workspace_id, 'workflows')
    return transaction
      .insertInto('workflows')
      .values({
        ...workflow,
        nodes: JSON.stringify(workflow.nodes),
        permissions_due_at: nextPass(workflow.permissions_minutes),
      })
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'name']).where('deleted_at', 'is', null).doNothing(),
      )
      .returningAll()
      .executeTakeFirst()
  })
}

export async function readWorkflow(db: Database, id: string): Promise<WorkflowRow | undefined> {
  return db
    .selectFrom('workflows')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** A workflow of any workspace, deleted or not. */
export async function readAnyWorkflow(db: Database, id: string): Promise<WorkflowRow | undefined> {
  return db.selectFrom('workflows').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function readWorkflowIn(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<WorkflowRow | undefined> {
  const row = await readWorkflow(db, id)
  return row?.workspace_id === workspaceId ? row : undefined
}

type WorkflowFilter = {
  sourceId: string | undefined
  destinationId: string | undefined
  status: 'active' | 'inactive' | undefined
  name: string | undefined
  createdSince: string | undefined
  createdBefore: string | undefined
  deleted: boolean
  sortBy: 'id' | 'name' | 'created_at' | 'updated_at'
  direction: 'asc' | 'desc'
  offset: number
  limit: number
}

export async function listWorkflows(
  db: Database,
  workspaceId: string,
  filter: WorkflowFilter,
): Promise<WorkflowRow[]> {
  let query = db.selectFrom('workflows').selectAll().where('workspace_id', '=', workspaceId)
  query = query.where('deleted_at', filter.deleted ? 'is not' : 'is', null)
  if (filter.sourceId) query = query.where('source_id', '=', filter.sourceId)
  if (filter.destinationId) query = query.where('destination_id', '=', filter.destinationId)
  if (filter.status) query = query.where('state', '=', filter.status)
  if (filter.name) query = query.where('name', 'ilike', `%${filter.name.replaceAll(/[\\%_]/g, '\\$&')}%`)
  if (filter.createdSince) query = query.where('created_at', '>=', new Date(filter.createdSince))
  if (filter.createdBefore) query = query.where('created_at', '<', new Date(filter.createdBefore))
  return query
    .orderBy(filter.sortBy, filter.direction)
    .orderBy('id')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute()
}

/** Includes deleted workflows. */
export async function workflowsOfTarget(
  db: Database,
  workspaceId: string,
  target: string,
): Promise<WorkflowRow[]> {
  return db
    .selectFrom('workflows')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('target', '=', target)
    .execute()
}

/** Until the transaction ends, no job of the workflow starts and no one changes it. */
export async function lockWorkflows(transaction: Database, ids: string[]): Promise<void> {
  await sql`select from workflows where id = any(${ids}::uuid[]) order by id for update`.execute(transaction)
}

/** Until the transaction ends, the workflow keeps its connectors, and its source the site and account. */
export async function holdWorkflow(
  transaction: Database,
  { id, source_id: sourceId, destination_id: destinationId }: WorkflowRow,
): Promise<void> {
  const { rows } = await sql<{ is_same: boolean }>`
    select (source_id, destination_id) is not distinct from (${sourceId}::uuid, ${destinationId}::uuid) as is_same
    from workflows where id = ${id}::uuid for share
  `.execute(transaction)
  if (rows[0]?.is_same) return
  throw new AppError('not_possible', 'the workflow got other connectors or was deleted meanwhile', {
    fix: 'Start it again if it still exists',
  })
}

export async function workflowsUsing(db: Database, connectorId: string): Promise<WorkflowRow[]> {
  return db
    .selectFrom('workflows')
    .selectAll()
    .where((eb) => eb.or([eb('source_id', '=', connectorId), eb('destination_id', '=', connectorId)]))
    .where('deleted_at', 'is', null)
    .execute()
}

/** Workflows of a workspace that write to one of these destinations, or to an index that one of them wrote. */
export async function workflowsWriting(
  db: Database,
  workspaceId: string,
  destinationIds: string[],
): Promise<WorkflowRow[]> {
  return (await allWriting(db, destinationIds)).filter(({ workspace_id: id }) => id === workspaceId)
}

/** The same in all workspaces, for what is done without a person. */
export async function allWriting(db: Database, destinationIds: string[]): Promise<WorkflowRow[]> {
  const isNamed = sql<boolean>`destination_id = any(${destinationIds}::uuid[])`
  return db
    .selectFrom('workflows as w')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([isNamed, writesIndexOf(destinationIds)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Workflows of any workspace that write to destinations of a type, with the settings of the destination. */
export async function workflowsOfDestinationType(
  db: Database,
  type: string,
): Promise<{ id: string; config: Record<string, unknown> }[]> {
  return db
    .selectFrom('workflows as w')
    .innerJoin('connectors as c', 'c.id', 'w.destination_id')
    .select(['w.id', 'c.config'])
    .where('w.deleted_at', 'is', null)
    .where('c.type', '=', type)
    .execute()
}

type WorkflowChange = Partial<
  Pick<
    WorkflowRow,
    | 'name'
    | 'source_id'
    | 'destination_id'
    | 'workflow_type'
    | 'nodes'
    | 'schedule'
    | 'schedule_timezone'
    | 'next_run_at'
    | 'reprocess_all'
    | 'swap_index'
    | 'state'
    | 'target'
    | 'permissions_minutes'
    | 'max_permission_age_hours'
    | 'hide_in_index_after_hours'
  >
>

export async function updateWorkflow(db: Database, id: string, change: WorkflowChange): Promise<WorkflowRow> {
  const { nodes, ...rest } = change
  return db
    .updateTable('workflows')
    .set({
      ...rest,
      ...(nodes ? { nodes: JSON.stringify(nodes) } : {}),
      ...(change.permissions_minutes === undefined
        ? {}
        : { permissions_due_at: sql`least(permissions_due_at, ${nextPass(change.permissions_minutes)})` }),
      updated_at: new Date(),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** For the next run; a change of the connectors drops it. */
export async function storeEstimate(db: Database, id: string, estimate: RunEstimate | null): Promise<void> {
  const stored = estimate && storableJson(estimate)
  await db.updateTable('workflows').set({ estimate: stored }).where('id', '=', id).execute()
}

/** `off` keeps the time, in case the schedule is turned on again. */
function nextPass(minutes: number | null) {
  return sql<Date>`now() + make_interval(mins => ${minutes ?? 0}::integer)`
}

/** Keeps the row, whose ledger describes the index, but releases its connectors. */
export async function deleteWorkflow(db: Database, id: string): Promise<void> {
  const run = async (transaction: Database) => {
    await transaction
      .updateTable('workflows')
      .set({ deleted_at: new Date(), source_id: null, destination_id: null })
      .where('id', '=', id)
      .execute()
    for (const table of [
      'document_versions',
      'past_permissions',
      'wanted_documents',
      'permission_sets',
      'workflow_scopes',
      'notification_channels',
    ] as const)
      await transaction.deleteFrom(table).where('workflow_id', '=', id).execute()
    await transaction.deleteFrom('notice_conditions').where('subject', '=', id).execute()
  }
  await (db.isTransaction ? run(db) : db.transaction().execute(run))
}
