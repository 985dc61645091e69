import { type Selectable, sql } from 'kysely'
import { incompleteSettings } from '../../ledger-entry.ts'
import { type Database, inTransaction } from '../database.ts'
import { ACTIVE_STATUSES, addLateWarning } from '../jobs/jobs.ts'
import { lockWanted } from '../ledger/wanted.ts'
import type { Schema, SwapState } from '../schema.ts'

export type SwapRow = Selectable<Schema['swaps']>

export async function readSwapOf(db: Database, workflowId: string): Promise<SwapRow | undefined> {
  return db.selectFrom('swaps').selectAll().where('workflow_id', '=', workflowId).executeTakeFirst()
}

export async function readSwap(db: Database, jobId: string): Promise<SwapRow | undefined> {
  return db.selectFrom('swaps').selectAll().where('job_id', '=', jobId).executeTakeFirst()
}

/** Swaps of jobs that have ended. */
export async function abandonedSwaps(db: Database): Promise<SwapRow[]> {
  return db
    .selectFrom('swaps as s')
    .selectAll('s')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs as j')
            .select('j.id')
            .whereRef('j.id', '=', 's.job_id')
            .where('j.status', 'in', ACTIVE_STATUSES),
        ),
      ),
    )
    .execute()
}

/** How the job writes; the first process decides. */
export async function pinSwap(db: Database, jobId: string, state: SwapState): Promise<SwapState> {
  const row = await db
    .updateTable('jobs')
    .set({ swap: sql<SwapState>`coalesce(swap, ${state})` })
    .where('id', '=', jobId)
    .returning('swap')
    .executeTakeFirst()
  return row?.swap ?? state
}

/** Recorded before the index is created, so that no unknown index is left. */
export async function insertSwap(
  db: Database,
  swap: Omit<SwapRow, 'index_uuid' | 'moving_at' | 'created_at'>,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('jobs')
      .set({ swap: 'staged' })
      .where('id', '=', swap.job_id)
      .where('swap', 'is', null)
      .executeTakeFirst()
    // Otherwise another process has decided to write in place.
    if (numUpdatedRows > 0n) await transaction.insertInto('swaps').values(swap).execute()
  })
}

export async function recordStagedIndex(db: Database, jobId: string, uuid: string): Promise<void> {
  await db.updateTable('swaps').set({ index_uuid: uuid }).where('job_id', '=', jobId).execute()
}

/** Called before the request is sent, which may then arrive at any later time. */
export async function recordAliasMove(db: Database, jobId: string): Promise<void> {
  await sql`update swaps set moving_at = coalesce(moving_at, now()) where job_id = ${jobId}::uuid`.execute(db)
}

/** Replaces the workflow's ledger and records the old index; repeating it changes nothing. */
export async function promoteLedger(db: Database, jobId: string): Promise<void> {
  await inTransaction(db, async (transaction) => {
    // A million documents exceed the query limit.
    await sql`set local statement_timeout = 0`.execute(transaction)
    const swap = await transaction
      .selectFrom('swaps')
      .selectAll()
      .where('job_id', '=', jobId)
      .forUpdate()
      .executeTakeFirst()
    if (!swap) return
    const { workflow_id: workflowId } = swap
    const { numAffectedRows: removed } = await sql`
      insert into job_documents (job_id, record_id, scope, state, kind, title, url, elements)
      select ${jobId}::uuid, record_id, scope, 'removed', 'unchanged', '', '', cardinality(element_ids)
      from documents as d where workflow_id = ${workflowId}::uuid and skipped is null and not exists (
        select from staged_documents as s where s.swap_id = ${jobId}::uuid and s.record_id = d.record_id
      )
      on conflict (job_id, record_id) do nothing
    `.execute(transaction)
    await transaction.deleteFrom('documents').where('workflow_id', '=', workflowId).execute()
    await sql`
      insert into documents (workflow_id, record_id, scope, position, locator, version, state_hash, settings_hash,
                             element_ids, settled, skipped, access_hash, about_hash, fence, updated_at)
      select ${workflowId}::uuid, record_id, scope, position, locator, version, state_hash, settings_hash,
             element_ids, settled, skipped, access_hash, about_hash, fence, updated_at
      from staged_documents where swap_id = ${jobId}::uuid
    `.execute(transaction)
    // Removals from the old index say nothing about the new one.
    await sql`delete from removed_elements where workflow_id = ${workflowId}::uuid and swap_id is null`.execute(
      transaction,
    )
    await sql`update removed_elements set swap_id = null where swap_id = ${jobId}::uuid`.execute(transaction)
    await lockWanted(transaction, workflowId)
    await sql`
      delete from wanted_documents as w where workflow_id = ${workflowId}::uuid and not exists (
        select from documents as d where d.workflow_id = w.workflow_id and d.record_id = w.record_id collate "default"
      )
    `.execute(transaction)
    await sql`
      delete from document_versions as v where workflow_id = ${workflowId}::uuid and not exists (
        select from wanted_documents as w where w.workflow_id = v.workflow_id and w.record_id = v.record_id
      )
    `.execute(transaction)
    await sql`
      insert into replaced_indexes (destination_id, name, uuid, workflow_id)
      select ${swap.destination_id}::uuid, ${swap.old_name}, ${swap.old_uuid}, ${workflowId}::uuid
      where exists (select from connectors where id = ${swap.destination_id}::uuid)
      on conflict (destination_id, name) do update set uuid = excluded.uuid, replaced_at = now()
    `.execute(transaction)
    await transaction
      .deleteFrom('replaced_indexes')
      .where('destination_id', '=', swap.destination_id)
      .where('name', '=', swap.index_name)
      .execute()
    await transaction
      .updateTable('workflows')
      .set({ index_name: swap.index_name, index_uuid: swap.index_uuid, swap_given_up: null })
      .where('id', '=', workflowId)
      .execute()
    await transaction
      .updateTable('jobs')
      .set({ swap: 'swapped', removed: sql`removed + ${Number(removed ?? 0)}` })
      .where('id', '=', jobId)
      .execute()
    await transaction.deleteFrom('swaps').where('job_id', '=', jobId).execute()
    await addLateWarning(transaction, jobId, {
      code: 'index_swapped',
      message: `searches now use the new index ${swap.index_name}; the old one, ${swap.old_name}, is kept until it is deleted`,
    })
  })
}

/** Documents the job finished that are not settled in the staged ledger. */
export async function countUnwritten(db: Database, jobId: string): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from job_documents as j
    left join staged_documents as s on s.swap_id = j.job_id and s.record_id = j.record_id
    where j.job_id = ${jobId}::uuid and j.state not in ('skipped', 'removed', 'failed') and s.settled is not true
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** Failed documents that the current index holds. */
export async function countFailedInIndex(
  db: Database,
  job: { id: string; workflow_id: string },
): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from job_documents as j
    join documents as d on d.workflow_id = ${job.workflow_id}::uuid and d.record_id = j.record_id
    where j.job_id = ${job.id}::uuid and j.state = 'failed' and d.skipped is null and cardinality(d.element_ids) > 0
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** Deletes the swap and its ledger; the next job writes in place. */
export async function dropSwap(
  db: Database,
  swap: SwapRow,
  { why, left = null }: { why: string; left?: string | null },
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await sql`set local statement_timeout = 0`.execute(transaction)
    const { numDeletedRows } = await transaction
      .deleteFrom('swaps')
      .where('job_id', '=', swap.job_id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return
    await transaction.updateTable('jobs').set({ swap: 'discarded' }).where('id', '=', swap.job_id).execute()
    await recordSwapGivenUp(transaction, swap.workflow_id, { hash: swap.settings_hash, jobId: swap.job_id })
    const leftover = left ? `. Removing ${swap.index_name} failed (${left}): delete it by hand` : ''
    await addLateWarning(transaction, swap.job_id, {
      code: 'swap_not_done',
      message: `the new index was discarded, because ${why}; searches use the old index, and the next job writes to it${leftover}`,
    })
  })
}

export async function recordSwapGivenUp(
  db: Database,
  workflowId: string,
  { hash, jobId }: { hash: string; jobId: string },
): Promise<void> {
  const givenUp = JSON.stringify({ hash, job_id: jobId, tried: false })
  await db.updateTable('workflows').set({ swap_given_up: givenUp }).where('id', '=', workflowId).execute()
}

/** The settings changed: returning to them counts as a new request for a swap. */
export async function clearSwapGivenUp(db: Database, workflowId: string): Promise<void> {
  await db.updateTable('workflows').set({ swap_given_up: null }).where('id', '=', workflowId).execute()
}

/** A later job in place has started. */
export async function markInPlaceTried(db: Database, workflowId: string): Promise<void> {
  await sql`
    update workflows set swap_given_up = swap_given_up || '{"tried": true}'
    where id = ${workflowId}::uuid and swap_given_up is not null
  `.execute(db)
}

export async function recordIndex(
  db: Database,
  workflowId: string,
  index: { name: string | null; uuid: string },
): Promise<void> {
  await db
    .updateTable('workflows')
    .set({ index_name: index.name, index_uuid: index.uuid })
    .where('id', '=', workflowId)
    .execute()
}

/** At least half of the ledger; failed or retried documents are exceptions. */
export async function mostEntriesHaveSettings(
  db: Database,
  workflowId: string,
  settingsHash: string,
): Promise<boolean> {
  const { rows } = await sql<{ most: boolean }>`
    select count(*) filter (where settings_hash in (${settingsHash}, ${incompleteSettings(settingsHash)})) * 2
      >= count(*) as most
    from documents where workflow_id = ${workflowId}::uuid
  `.execute(db)
  return rows[0]?.most ?? true
}

export type ReplacedRow = Selectable<Schema['replaced_indexes']>

export async function replacedIndexes(db: Database, destinationId: string): Promise<ReplacedRow[]> {
  return db
    .selectFrom('replaced_indexes')
    .selectAll()
    .where('destination_id', '=', destinationId)
    .orderBy('replaced_at', 'desc')
    .execute()
}

/** The workflows whose index of this uuid was replaced. */
export async function workflowsOfReplacedIndex(
  db: Database,
  workflowIds: string[],
  uuid: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('replaced_indexes')
    .select('workflow_id')
    .distinct()
    .where('workflow_id', '=', sql<string>`any(${workflowIds}::uuid[])`)
    .where('uuid', '=', uuid)
    .execute()
  return rows.map((row) => row.workflow_id)
}

/** The successor takes over swaps and replaced indexes of deleted workflows. */
export async function takeOverSwaps(db: Database, fromIds: string[], toId: string): Promise<void> {
  await sql`
    update replaced_indexes set workflow_id = ${toId}::uuid where workflow_id = any(${fromIds}::uuid[])
  `.execute(db)
  // A workflow has one swap: the newest moves, the others are cleaned up in place.
  await sql`
    update swaps set workflow_id = ${toId}::uuid
    where job_id = (
      select job_id from swaps where workflow_id = any(${fromIds}::uuid[]) order by created_at desc limit 1
    ) and not exists (select from swaps where workflow_id = ${toId}::uuid)
  `.execute(db)
}

export async function deleteReplacedIndex(db: Database, destinationId: string, name: string): Promise<void> {
  await db
    .deleteFrom('replaced_indexes')
    .where('destination_id', '=', destinationId)
    .where('name', '=', name)
    .execute()
}
