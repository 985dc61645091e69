import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** The last 20 jobs of a workflow, and all jobs of a month, keep their documents. */
const RETAINED_JOBS = 20
const RETENTION = '30 days'

// Small batches, because running jobs share the database.
const BATCH_ROWS = 5_000
const BATCHES = 10

/**
 * Deletes document rows of old jobs, but keeps counts. `documents_kept` turns false before the first deletion.
 */
export async function pruneOldRuns(db: Database): Promise<void> {
  let batches = BATCHES
  for (const id of await oldJobs(db)) {
    await markPruned(db, id)
    while (true) {
      if (batches-- === 0) return
      if ((await deleteBatch(db, id)) < BATCH_ROWS) break
    }
  }
}

/** Rates are shown while a job runs. */
export async function pruneRates(db: Database): Promise<void> {
  await sql`delete from job_rates where began < extract(epoch from now()) / 10 - 360`.execute(db)
}

/** The last 20 permission passes of a workflow, or verifications of a destination, are kept, and all of a day, or of a week if they had errors. */
const PASS_RETENTION = '1 day'
const FAILED_PASS_RETENTION = '7 days'
const PASSES = 1_000

/** A pass every minute makes half a million jobs a year. */
export async function pruneOldPasses(db: Database): Promise<void> {
  await sql`
    delete from jobs where id in (
      select id from (
        select id, finished_at, processing_status, row_number() over (partition by workflow_id order by created_at desc) as rank
        from jobs where kind in ('permissions', 'verify')
      ) as pass
      where rank > ${RETAINED_JOBS}
        and finished_at < now() - (case when processing_status = 'SUCCESS' then ${PASS_RETENTION}
                                        else ${FAILED_PASS_RETENTION} end)::interval
      limit ${PASSES}
    )
  `.execute(db)
}

/** Jobs without a workflow, and how many of a workspace are kept longer than a day. */
const WITHOUT_WORKFLOW = sql`job_type in ('ephemeral', 'template')`
const RETAINED_WITHOUT_WORKFLOW = 10_000
const RETENTION_WITHOUT_WORKFLOW = '1 day'
/** Of a workflow; the others are deleted with their counts. */
const RETAINED_ROWS = 1_000
const JOBS = 1_000

/** Deletes jobs with everything that belongs to them, such as files and results. */
export async function pruneOldJobs(db: Database): Promise<void> {
  const withoutWorkflow = sql`
    select id from (
      select id, finished_at, row_number() over (partition by workspace_id order by created_at desc) as rank
      from jobs where ${WITHOUT_WORKFLOW}
    ) as job
    where finished_at < now() - (case when rank > ${RETAINED_WITHOUT_WORKFLOW} then ${RETENTION_WITHOUT_WORKFLOW}
                                      else ${RETENTION} end)::interval`
  const ofWorkflows = sql`
    select id from (
      select id, finished_at, row_number() over (partition by workflow_id order by created_at desc) as rank
      from jobs where kind = 'content' and not ${WITHOUT_WORKFLOW}
    ) as job
    where rank > ${RETAINED_ROWS} and finished_at < now() - ${RETENTION}::interval`
  for (const old of [withoutWorkflow, ofWorkflows])
    for (let batches = BATCHES; batches > 0; batches--) {
      const { numAffectedRows } = await sql`delete from jobs where id in (${old} limit ${JOBS})`.execute(db)
      if (Number(numAffectedRows ?? 0) < JOBS) break
    }
}

/**
 * Deletes workflows with their jobs some time after people deleted them. A ledger with documents or old indexes stays: it
 * describes what the destination still holds.
 */
export async function pruneDeletedWorkflows(db: Database): Promise<void> {
  let batches = BATCHES
  for (const { workflow, jobs } of await deletedWorkflows(db)) {
    for (const id of jobs) {
      await markPruned(db, id)
      while (true) {
        if (batches-- === 0) return
        if ((await deleteBatch(db, id)) < BATCH_ROWS) break
      }
      await sql`delete from jobs where id = ${id}::uuid`.execute(db)
    }
    await sql`delete from workflows where id = ${workflow}::uuid`.execute(db)
  }
}

async function deletedWorkflows(db: Database): Promise<{ workflow: string; jobs: string[] }[]> {
  const { rows } = await sql<{ workflow: string; jobs: string[] }>`
    select id as workflow, array(select j.id from jobs as j where j.workflow_id = w.id) as jobs
    from workflows as w where deleted_at < now() - ${RETENTION}::interval
      and not exists (select from swaps where workflow_id = w.id)
      and not exists (select from ledgers as l where l.workflow_id = w.id
                      and (l.replaced_at is not null or exists (select from documents where ledger_id = l.id)))
      and not exists (select from jobs as j where j.workflow_id = w.id
                      and (j.finished_at is null or j.finished_at > now() - ${RETENTION}::interval))
    order by deleted_at limit 100
  `.execute(db)
  return rows
}

/** Interrupted deletions come first. */
async function oldJobs(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, finished_at, documents_kept,
             row_number() over (partition by workflow_id order by created_at desc) as rank
      from jobs where kind = 'content'
    ) as old
    where rank > ${RETAINED_JOBS} and finished_at < now() - ${RETENTION}::interval
      and not exists (select from jobs as retry where retry.status in ('SCHEDULED', 'IN_PROGRESS')
                      and retry.settings->>'retry_of' = old.id::text)
      and (documents_kept or exists (select from job_documents where job_id = old.id))
    order by documents_kept, finished_at limit 100
  `.execute(db)
  return rows.map(({ id }) => id)
}

async function markPruned(db: Database, jobId: string): Promise<void> {
  await sql`update jobs set documents_kept = false where id = ${jobId}::uuid and documents_kept`.execute(db)
  await sql`delete from unlisted_documents where job_id = ${jobId}::uuid`.execute(db)
}

async function deleteBatch(db: Database, jobId: string): Promise<number> {
  // By ctid: with record ids, PostgreSQL may repeat the subquery for each row of a table that it has not analyzed.
  const { numAffectedRows } = await sql`
    delete from job_documents where ctid = any(array(
      select ctid from job_documents where job_id = ${jobId}::uuid limit ${BATCH_ROWS} for update skip locked
    ))
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
