import { type Selectable, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Schema } from '../schema.ts'

export type WorkflowRow = Selectable<Schema['workflows']>

export async function insertWorkflow(
  db: Database,
  workflow: Omit<
    WorkflowRow,
    'created_at' | 'updated_at' | 'deleted_at' | 'index_name' | 'index_uuid' | 'swap_given_up'
  >,
): Promise<WorkflowRow | undefined> {
  return db
    .insertInto('workflows')
    .values({ ...workflow, nodes: JSON.stringify(workflow.nodes) })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'name']).where('deleted_at', 'is', null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst()
}

export async function readWorkflow(db: Database, id: string): Promise<WorkflowRow | undefined> {
  return db
    .selectFrom('workflows')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function readWorkflowIn(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<WorkflowRow | undefined> {
  const row = await readWorkflow(db, id)
  return row?.workspace_id === workspaceId ? row : undefined
}

export type WorkflowFilter = {
  sourceId?: string
  destinationId?: string
  status?: 'active' | 'inactive'
  name?: string
  createdSince?: Date
  createdBefore?: Date
  deleted: boolean
  sortBy: 'id' | 'name' | 'created_at' | 'updated_at'
  direction: 'asc' | 'desc'
  page: number
  pageSize: number
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
  if (filter.createdSince) query = query.where('created_at', '>=', filter.createdSince)
  if (filter.createdBefore) query = query.where('created_at', '<', filter.createdBefore)
  return query
    .orderBy(filter.sortBy, filter.direction)
    .orderBy('id')
    .limit(filter.pageSize)
    .offset((filter.page - 1) * filter.pageSize)
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

export async function workflowsUsing(db: Database, connectorId: string): Promise<WorkflowRow[]> {
  return db
    .selectFrom('workflows')
    .selectAll()
    .where((eb) => eb.or([eb('source_id', '=', connectorId), eb('destination_id', '=', connectorId)]))
    .where('deleted_at', 'is', null)
    .execute()
}

/** Workflows of any workspace whose destination names one of these indexes. */
export async function workflowsNaming(
  db: Database,
  indexNames: string[],
): Promise<{ id: string; name: string; workspace_id: string; config: Record<string, unknown> }[]> {
  return db
    .selectFrom('workflows as w')
    .innerJoin('connectors as c', 'c.id', 'w.destination_id')
    .select(['w.id', 'w.name', 'w.workspace_id', 'c.config'])
    .where('w.deleted_at', 'is', null)
    .where(sql<string>`c.config->>'index_name'`, '=', sql<string>`any(${indexNames}::text[])`)
    .execute()
}

export type WorkflowChange = Partial<
  Pick<
    WorkflowRow,
    | 'name'
    | 'source_id'
    | 'destination_id'
    | 'workflow_type'
    | 'nodes'
    | 'schedule'
    | 'reprocess_all'
    | 'swap_index'
    | 'state'
    | 'target'
  >
>

export async function updateWorkflow(db: Database, id: string, change: WorkflowChange): Promise<WorkflowRow> {
  const { nodes, ...rest } = change
  return db
    .updateTable('workflows')
    .set({ ...rest, ...(nodes ? { nodes: JSON.stringify(nodes) } : {}), updated_at: new Date() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Keeps the row, whose ledger describes the index, but releases its connectors. */
export async function deleteWorkflow(db: Database, id: string): Promise<void> {
  await db
    .updateTable('workflows')
    .set({ deleted_at: new Date(), source_id: null, destination_id: null })
    .where('id', '=', id)
    .execute()
}
