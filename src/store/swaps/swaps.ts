import { randomUUID } from 'node:crypto'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { incompleteSettings } from '../../ledger-entry.ts'
import { type Database, inTransaction } from '../database.ts'
import { ACTIVE_STATUSES, addLateWarning } from '../jobs/jobs.ts'
import { deleteReplacedIndex, type LedgerKey, searchedLedger } from '../ledger/ledgers.ts'
import { lockWanted } from '../ledger/wanted.ts'
import type { Schema } from '../schema.ts'

/** A swap with its staged index and the searched one. */
export type SwapRow = Selectable<Schema['swaps']> & {
  index_name: string
  /** Null until created. */
  index_uuid: string | null
  old_ledger_id: string
  old_name: string
  old_uuid: string
}

export async function readSwapOf(db: Database, workflowId: string): Promise<SwapRow | undefined> {
  return (await swapsWhere(db, sql`s.workflow_id = ${workflowId}::uuid`))[0]
}

export async function readSwap(db: Database, jobId: string): Promise<SwapRow | undefined> {
  return (await swapsWhere(db, sql`s.job_id = ${jobId}::uuid`))[0]
}

/** Swaps of jobs that have ended. */
export async function abandonedSwaps(db: Database): Promise<SwapRow[]> {
  return swapsWhere(
    db,
    sql`not exists (select from jobs as j where j.id = s.job_id and j.status = any(${ACTIVE_STATUSES}::text[]))`,
  )
}

async function swapsWhere(db: Database, condition: RawBuilder<unknown>): Promise<SwapRow[]> {
  const { rows } = await sql<SwapRow>`
    select s.*, staged.index_name, staged.index_uuid, old.id as old_ledger_id, old.index_name as old_name,
      old.index_uuid as old_uuid
    from swaps as s join ledgers as staged on staged.id = s.ledger_id
    join workflows as w on w.id = s.workflow_id join ledgers as old on old.id = w.ledger_id
    where ${condition}
  `.execute(db)
  return rows
}

type NewSwap = Pick<SwapRow, 'job_id' | 'workflow_id' | 'destination_id' | 'settings_hash'> & {
  indexName: string
  old: { name: string; uuid: string }
}

/** Recorded before the index is created, so that no unknown index is left. */
export async function insertSwap(db: Database, { indexName, old, ...swap }: NewSwap): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('jobs')
      .set({ swap: 'staged' })
      .where('id', '=', swap.job_id)
      .where('swap', 'is', null)
      .executeTakeFirst()
    // Otherwise another process has decided to write in place.
    if (numUpdatedRows === 0n) return
    await sql`
      update ledgers set index_name = ${old.name}, index_uuid = ${old.uuid}
      where id = ${searchedLedger(swap.workflow_id)}
    `.execute(transaction)
    const staged = { id: randomUUID(), workflow_id: swap.workflow_id, index_name: indexName }
    await transaction.insertInto('ledgers').values(staged).execute()
    await transaction
      .insertInto('swaps')
      .values({ ...swap, ledger_id: staged.id })
      .execute()
  })
}

/** Called before the request is sent, which may then arrive at any later time. */
export async function recordAliasMove(db: Database, jobId: string): Promise<void> {
  await sql`update swaps set moving_at = coalesce(moving_at, now()) where job_id = ${jobId}::uuid`.execute(db)
}

/** Makes the staged ledger that of the workflow and records the old index; repeating it changes nothing. */
export async function promoteLedger(db: Database, jobId: string): Promise<void> {
  await inTransaction(db, async (transaction) => {
    // A million documents exceed the query limit.
    await sql`set local statement_timeout = 0`.execute(transaction)
    await sql`select from swaps where job_id = ${jobId}::uuid for update`.execute(transaction)
    const swap = await readSwap(transaction, jobId)
    if (!swap) return
    const { workflow_id: workflowId, ledger_id: ledgerId, old_ledger_id: oldId } = swap
    await replaceLedger(transaction, swap)
    const { numAffectedRows: removed } = await sql`
      insert into job_documents (job_id, record_id, scope, state, kind, title, url, elements)
      select ${jobId}::uuid, record_id, scope, 'removed', 'unchanged', '', '', cardinality(element_ids)
      from documents as d where ledger_id = ${oldId}::uuid and skipped is null and not exists (
        select from documents as s where s.ledger_id = ${ledgerId}::uuid and s.record_id = d.record_id
      )
      on conflict (job_id, record_id) do nothing
    `.execute(transaction)
    // Removals from the old index say nothing about the new one.
    for (const table of ['documents', 'removed_elements'] as const)
      await transaction.deleteFrom(table).where('ledger_id', '=', oldId).execute()
    await lockWanted(transaction, workflowId)
    await sql`
      delete from wanted_documents as w where workflow_id = ${workflowId}::uuid and not exists (
        select from documents as d where d.ledger_id = ${ledgerId}::uuid and d.record_id = w.record_id collate "default"
      )
    `.execute(transaction)
    await sql`
      delete from document_versions as v where workflow_id = ${workflowId}::uuid and not exists (
        select from wanted_documents as w where w.workflow_id = v.workflow_id and w.record_id = v.record_id
      )
    `.execute(transaction)
    await sql`
      update workflows set ledger_id = ${ledgerId}::uuid, swap_given_up = null where id = ${workflowId}::uuid
    `.execute(transaction)
    await sql`
      update jobs set swap = 'swapped', removed = removed + ${Number(removed ?? 0)} where id = ${jobId}::uuid
    `.execute(transaction)
    await transaction.deleteFrom('swaps').where('job_id', '=', jobId).execute()
    await addLateWarning(transaction, jobId, {
      code: 'index_swapped',
      message: `searches now use the new index ${swap.index_name}; the old one, ${swap.old_name}, is kept until it is deleted`,
    })
  })
}

/** From now on no task writes documents into the old ledger. */
async function replaceLedger(
  transaction: Database,
  { destination_id: destinationId, index_name, old_name, old_ledger_id: oldId }: SwapRow,
): Promise<void> {
  // An index that was replaced before may have been used again.
  for (const name of [index_name, old_name]) await deleteReplacedIndex(transaction, destinationId, name)
  await sql`
    update ledgers set replaced_at = now(),
      destination_id = (select id from connectors where id = ${destinationId}::uuid)
    where id = ${oldId}::uuid
  `.execute(transaction)
}

/** Documents the job finished that are not settled in the staged ledger. */
export async function countUnwritten(db: Database, jobId: string, of: LedgerKey): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from job_documents as j
    left join documents as d on d.ledger_id = ${of.ledgerId}::uuid and d.record_id = j.record_id
    where j.job_id = ${jobId}::uuid and j.state not in ('skipped', 'removed', 'failed') and d.settled is not true
  `.execute(db)
  return rows[0]!.count
}

/** Failed documents that the index of a ledger holds. */
export async function countFailedInIndex(db: Database, jobId: string, of: LedgerKey): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from job_documents as j
    join documents as d on d.ledger_id = ${of.ledgerId}::uuid and d.record_id = j.record_id
    where j.job_id = ${jobId}::uuid and j.state = 'failed' and d.skipped is null and cardinality(d.element_ids) > 0
  `.execute(db)
  return rows[0]!.count
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
    // Then the swap was completed, and searches use its ledger.
    if (numDeletedRows === 0n) return
    await transaction.deleteFrom('ledgers').where('id', '=', swap.ledger_id).execute()
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

/** At least half of the ledger; failed or retried documents are exceptions. */
export async function mostEntriesHaveSettings(
  db: Database,
  workflowId: string,
  settingsHash: string,
): Promise<boolean> {
  const { rows } = await sql<{ most: boolean }>`
    select count(*) filter (where settings_hash in (${settingsHash}, ${incompleteSettings(settingsHash)})) * 2
      >= count(*) as most
    from documents where ledger_id = ${searchedLedger(workflowId)}
  `.execute(db)
  return rows[0]?.most ?? true
}

/** The successor takes over swaps and replaced indexes of deleted workflows. */
export async function takeOverSwaps(db: Database, fromIds: string[], toId: string): Promise<void> {
  // A workflow has one swap: the newest moves, the others are cleaned up in place.
  const moved = await sql<{ ledger_id: string }>`
    update swaps set workflow_id = ${toId}::uuid
    where job_id = (
      select job_id from swaps where workflow_id = any(${fromIds}::uuid[]) order by created_at desc limit 1
    ) and not exists (select from swaps where workflow_id = ${toId}::uuid)
    returning ledger_id
  `.execute(db)
  const ledgerIds = moved.rows.map((row) => row.ledger_id)
  await sql`
    update ledgers set workflow_id = ${toId}::uuid
    where workflow_id = any(${fromIds}::uuid[]) and (replaced_at is not null or id = any(${ledgerIds}::uuid[]))
  `.execute(db)
}
