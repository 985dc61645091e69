import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { ACTIVE_STATUSES } from '../jobs/jobs.ts'
import { dropSandbox } from '../sandbox/sandbox.ts'
import { recordAudit } from './audit.ts'

type Closing = { workspaceId: string; actor: string }
type Closed = { name: string; keyIds: string[]; jobIds: string[] }

/** Ends every access and every start of a job; null if it is the last open one of its organisation. */
export async function closeWorkspace(db: Database, { workspaceId, actor }: Closing): Promise<Closed | null> {
  return db.transaction().execute(async (tx) => {
    const others = await lockOthers(tx, workspaceId)
    if (others.length === 0) return null
    const { name } = await tx
      .updateTable('workspaces')
      .set({ closed_at: new Date(), admits_readers: false })
      .where('id', '=', workspaceId)
      .returning('name')
      .executeTakeFirstOrThrow()
    const keys = await tx
      .deleteFrom('api_keys')
      .where('workspace_id', '=', workspaceId)
      .returning('id')
      .execute()
    for (const table of ['workspace_members', 'invitations', 'notification_channels', 'deleted_rows'])
      await sql`delete from ${sql.table(table)} where workspace_id = ${workspaceId}::uuid`.execute(tx)
    await sql`
      update workflows set deleted_at = coalesce(deleted_at, now()), source_id = null, destination_id = null
      where workspace_id = ${workspaceId}::uuid
    `.execute(tx)
    const jobs = await tx
      .selectFrom('jobs')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('status', 'in', ACTIVE_STATUSES)
      .execute()
    // Its own audit log goes with it.
    const subject = { workspace: workspaceId, name }
    for (const other of others)
      await recordAudit(tx, { workspaceId: other, actor, action: 'delete_workspace', subject })
    return { name, keyIds: keys.map(({ id }) => id), jobIds: jobs.map(({ id }) => id) }
  })
}

/** The other open workspaces of its organisation; two deletions at once leave one of them. */
async function lockOthers(tx: Database, workspaceId: string): Promise<string[]> {
  await sql`
    select from organisations
    where id = (select organisation_id from workspaces where id = ${workspaceId}::uuid) for update
  `.execute(tx)
  const rows = await tx
    .selectFrom('workspaces as one')
    .innerJoin('workspaces as other', 'other.organisation_id', 'one.organisation_id')
    .select('other.id')
    .where('one.id', '=', workspaceId)
    .whereRef('other.id', '<>', 'one.id')
    .where('other.closed_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

// Small batches, because running jobs share the database.
const BATCH_ROWS = 5_000
const ROUND_MS = 20_000

/** Deletes what closed workspaces hold; an interrupted or long deletion continues in the next round. */
export async function deleteClosedWorkspaces(db: Database): Promise<void> {
  const end = Date.now() + ROUND_MS
  for (const id of await closedWorkspaces(db)) {
    for (const { table, column, owners } of ownedRows(id)) {
      do if (Date.now() > end) return
      while ((await deleteBatch(db, { table, column, owners })) === BATCH_ROWS)
    }
    await dropSandbox(db, id).catch((error: { code?: string }) => {
      // Another account of the database has created it, so it stays.
      if (error.code !== NOT_PERMITTED) throw error
    })
    await db.deleteFrom('workspaces').where('id', '=', id).execute()
  }
}

const NOT_PERMITTED = '42501'

async function closedWorkspaces(db: Database): Promise<string[]> {
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .where('closed_at', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs')
            .select('jobs.id')
            .whereRef('jobs.workspace_id', '=', 'workspaces.id')
            .where('jobs.status', 'in', ACTIVE_STATUSES),
        ),
      ),
    )
    .orderBy('closed_at')
    .execute()
  return rows.map(({ id }) => id)
}

type OwnedRows = { table: string; column: string; owners: RawBuilder<unknown> }

/** Tables that may be large, children first; the deletion of the workspace removes the rest. */
function ownedRows(workspaceId: string): OwnedRows[] {
  const workspace = sql`select ${workspaceId}::uuid`
  const jobs = sql`select id from jobs where workspace_id = ${workspaceId}::uuid`
  const workflows = sql`select id from workflows where workspace_id = ${workspaceId}::uuid`
  const ledgers = sql`select id from ledgers where workflow_id in (${workflows})`
  const of = (owners: RawBuilder<unknown>, column: string, tables: string[]) =>
    tables.map((table) => ({ table, column, owners }))
  return [
    ...of(jobs, 'job_id', ['job_documents', 'unlisted_documents', 'verification_differences', 'uploads']),
    ...of(ledgers, 'ledger_id', ['documents', 'removed_elements']),
    ...of(workflows, 'workflow_id', [
      'wanted_documents',
      'document_versions',
      'past_permissions',
      'permission_sets',
    ]),
    ...of(workspace, 'workspace_id', ['jobs', 'workflows', 'identities', 'audit']),
  ]
}

async function deleteBatch(db: Database, { table, column, owners }: OwnedRows): Promise<number> {
  // By ctid: PostgreSQL may repeat a subquery of ids for each row of a table that it has not analyzed.
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} in (${owners}) limit ${BATCH_ROWS}
    ))
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
