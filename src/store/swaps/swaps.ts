import { type Selectable, sql } from 'kysely'
import { incompleteSettings } from '../../ledger-entry.ts'
import type { Database } from '../database.ts'
import { ACTIVE, noteAtEnd } from '../jobs/jobs.ts'
import type { Schema, SwapState } from '../schema.ts'

export type SwapRow = Selectable<Schema['swaps']>

export async function readSwapOf(db: Database, workflowId: string): Promise<SwapRow | undefined> {
  return db.selectFrom('swaps').selectAll().where('workflow_id', '=', workflowId).executeTakeFirst()
}

export async function readSwap(db: Database, jobId: string): Promise<SwapRow | undefined> {
  return db.selectFrom('swaps').selectAll().where('job_id', '=', jobId).executeTakeFirst()
}

/** Of runs that have ended one way or another. */
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
            .where('j.status', 'in', ACTIVE),
        ),
      ),
    )
    .execute()
}

/** Where a run writes; the first process to decide says it. */
export async function pinSwap(db: Database, jobId: string, state: SwapState): Promise<SwapState> {
  const row = await db
    .updateTable('jobs')
    .set({ swap: sql<SwapState>`coalesce(swap, ${state})` })
    .where('id', '=', jobId)
    .returning('swap')
    .executeTakeFirst()
  return row?.swap ?? state
}

/** Noted before the index is made, so that none is made that nobody knows of. */
export async function insertSwap(
  db: Database,
  swap: Omit<SwapRow, 'index_uuid' | 'moving_at' | 'created_at'>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('jobs')
      .set({ swap: 'staged' })
      .where('id', '=', swap.job_id)
      .where('swap', 'is', null)
      .executeTakeFirst()
    // Another process has decided meanwhile, and works in place.
    if (numUpdatedRows > 0n) await transaction.insertInto('swaps').values(swap).execute()
  })
}

export async function noteStaged(db: Database, jobId: string, uuid: string): Promise<void> {
  await db.updateTable('swaps').set({ index_uuid: uuid }).where('job_id', '=', jobId).execute()
}

/** Before it is sent: from then on it may arrive, however late. */
export async function noteMoving(db: Database, jobId: string): Promise<void> {
  await sql`update swaps set moving_at = coalesce(moving_at, now()) where job_id = ${jobId}::uuid`.execute(db)
}

/**
 * What the run's ledger says is what people search from now on, all of it or nothing. The index that is not searched
 * any more is noted, and the job says so. Done again, it finds nothing to do.
 */
export async function promoteLedger(db: Database, jobId: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // A million documents take longer than the pool's limit for a query.
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
                             element_ids, settled, own_text, skipped, fence, updated_at)
      select ${workflowId}::uuid, record_id, scope, position, locator, version, state_hash, settings_hash,
             element_ids, settled, own_text, skipped, fence, updated_at
      from staged_documents where swap_id = ${jobId}::uuid
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
    await noteAtEnd(transaction, jobId, {
      code: 'index_swapped',
      message: `the new index ${swap.index_name} is searched now; the old one, ${swap.old_name}, is kept until it is deleted`,
    })
  })
}

/** Documents that the run counts as done, and that its ledger does not say are in the new index, settled. */
export async function countUnwritten(db: Database, jobId: string): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from job_documents as j
    left join staged_documents as s on s.swap_id = j.job_id and s.record_id = j.record_id
    where j.job_id = ${jobId}::uuid and j.state not in ('skipped', 'removed', 'failed') and s.settled is not true
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** Documents that failed, and that are in the index that is searched. */
export async function countLost(db: Database, job: { id: string; workflow_id: string }): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from job_documents as j
    join documents as d on d.workflow_id = ${job.workflow_id}::uuid and d.record_id = j.record_id
    where j.job_id = ${job.id}::uuid and j.state = 'failed' and d.skipped is null and cardinality(d.element_ids) > 0
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** Together with its ledger; the job says why, and what is left of it. The next run works in place. */
export async function dropSwap(
  db: Database,
  swap: SwapRow,
  { why, left = null }: { why: string; left?: string | null },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 0`.execute(transaction)
    const { numDeletedRows } = await transaction
      .deleteFrom('swaps')
      .where('job_id', '=', swap.job_id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return
    await transaction.updateTable('jobs').set({ swap: 'discarded' }).where('id', '=', swap.job_id).execute()
    await giveUpSwaps(transaction, swap.workflow_id, { hash: swap.settings_hash, jobId: swap.job_id })
    const leftover = left ? `. ${swap.index_name} could not be removed (${left}): delete it by hand` : ''
    await noteAtEnd(transaction, swap.job_id, {
      code: 'swap_not_done',
      message: `the new index was discarded, because ${why}; people search the old one, and the next run works in it${leftover}`,
    })
  })
}

export async function giveUpSwaps(
  db: Database,
  workflowId: string,
  { hash, jobId }: { hash: string; jobId: string },
): Promise<void> {
  const given = JSON.stringify({ hash, job_id: jobId, tried: false })
  await db.updateTable('workflows').set({ swap_given_up: given }).where('id', '=', workflowId).execute()
}

/** The settings are others by now: should they come back, a person has asked for them again. */
export async function forgiveSwaps(db: Database, workflowId: string): Promise<void> {
  await db.updateTable('workflows').set({ swap_given_up: null }).where('id', '=', workflowId).execute()
}

/** A run in place was begun since. */
export async function noteTried(db: Database, workflowId: string): Promise<void> {
  await sql`
    update workflows set swap_given_up = swap_given_up || '{"tried": true}'
    where id = ${workflowId}::uuid and swap_given_up is not null
  `.execute(db)
}

export async function noteIndex(
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

/**
 * Whether most of the ledger was written with these settings. A few that were not, such as pages that failed, or a few
 * that were, such as pages that were tried again alone, are not everything.
 */
export async function hasSettings(db: Database, workflowId: string, settingsHash: string): Promise<boolean> {
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

/** Those of the workflows that once wrote this index and had it replaced. */
export async function replacedBy(db: Database, workflowIds: string[], uuid: string): Promise<string[]> {
  const rows = await db
    .selectFrom('replaced_indexes')
    .select('workflow_id')
    .distinct()
    .where('workflow_id', '=', sql<string>`any(${workflowIds}::uuid[])`)
    .where('uuid', '=', uuid)
    .execute()
  return rows.map((row) => row.workflow_id)
}

/** What deleted workflows had begun, or replaced, is their heir's. */
export async function adoptSwaps(db: Database, fromIds: string[], toId: string): Promise<void> {
  await sql`
    update replaced_indexes set workflow_id = ${toId}::uuid where workflow_id = any(${fromIds}::uuid[])
  `.execute(db)
  // One for each workflow: of several the newest, and the others are cleared up where they are.
  await sql`
    update swaps set workflow_id = ${toId}::uuid
    where job_id = (
      select job_id from swaps where workflow_id = any(${fromIds}::uuid[]) order by created_at desc limit 1
    ) and not exists (select from swaps where workflow_id = ${toId}::uuid)
  `.execute(db)
}

export async function forgetReplaced(db: Database, destinationId: string, name: string): Promise<void> {
  await db
    .deleteFrom('replaced_indexes')
    .where('destination_id', '=', destinationId)
    .where('name', '=', name)
    .execute()
}
