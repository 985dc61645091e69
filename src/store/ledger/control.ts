import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { searchedLedger } from './ledgers.ts'
import { lockWanted } from './wanted.ts'

/** A failover or point-in-time restore changes the timeline, a restored dump the object ids, a new cluster the system id. */
const SERVER = sql<string>`concat_ws(' ', (select system_identifier from pg_control_system()),
  (select oid from pg_database where datname = current_database()), 'fences'::regclass::oid)`
const TIMELINE = sql<string>`left(pg_walfile_name(pg_current_wal_lsn()), 8)`

/** Names the history of this database; a restored or failed-over one gets a new name. */
export async function currentEpoch(db: Database): Promise<string> {
  const { server, known, epoch } = await readServer(db)
  if (epoch !== null && known === server) return epoch
  await sql`
    insert into ledger_epoch as e (server) values (${server})
    on conflict (id) do update set server = excluded.server, epoch = gen_random_uuid()
    where e.server is distinct from excluded.server
  `.execute(db)
  return (await db.selectFrom('ledger_epoch').select('epoch').executeTakeFirstOrThrow()).epoch
}

type Server = { server: string; known: string | null; epoch: string | null }

async function readServer(db: Database): Promise<Server> {
  // Some hosted databases do not offer these functions; the fence still shows most restores.
  for (const name of [sql`concat_ws(' ', ${SERVER}, ${TIMELINE})`, SERVER, sql`'unknown'`]) {
    const found = await sql<Server>`
      select ${name} as server, (select server from ledger_epoch) as known, (select epoch from ledger_epoch) as epoch
    `
      .execute(db)
      .catch(ignoreMissing)
    if (found?.rows[0]) return found.rows[0]
  }
  throw new Error('the database returned no row')
}

/** No privilege, no such function, or a feature that the server does not support. */
const MISSING = ['42501', '42883', '0A000', '55000']

function ignoreMissing(error: { code?: string }): null {
  if (MISSING.includes(error.code ?? '')) return null
  throw error
}

/** The highest fence that this database gave to the control document. */
export async function readControlFence(db: Database, workflowId: string): Promise<number> {
  const row = await db
    .selectFrom('control_documents')
    .select('fence')
    .where('workflow_id', '=', workflowId)
    .executeTakeFirst()
  return Number(row?.fence ?? 0)
}

/** Called before the control document is written, so that a crash leaves the ledger ahead. */
export async function recordControlFence(db: Database, workflowId: string, fence: number): Promise<void> {
  await sql`
    insert into control_documents as c (workflow_id, fence)
    select id, ${fence}::bigint from workflows where id = ${workflowId}::uuid
    on conflict (workflow_id) do update set fence = greatest(c.fence, excluded.fence)
  `.execute(db)
}

/**
 * Documents whose elements differ from the ledger: the next content job writes them, and the permission writer their
 * permissions at once.
 */
export async function markOutdated(db: Database, workflowIds: string[], recordIds: string[]): Promise<void> {
  if (recordIds.length === 0) return
  for (const workflowId of workflowIds)
    await db.transaction().execute(async (transaction) => {
      await sql`
        update documents set settled = false, access_hash = null, metadata_hash = null, updated_at = to_timestamp(0)
        where ledger_id = ${searchedLedger(workflowId)} and record_id = any(${recordIds}::text[])
      `.execute(transaction)
      // After the documents, as in a settlement, which may run now.
      await lockWanted(transaction, workflowId)
      await sql`
        update wanted_documents set needs_permission_write = true
        where workflow_id = ${workflowId}::uuid and record_id = any(${recordIds}::text[]) and not needs_permission_write
      `.execute(transaction)
    })
}
