import { type Selectable, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Schema, VerificationPhase } from '../schema.ts'
import { storableJson } from '../storable.ts'
import {
  addToScopes,
  type DocumentFindings,
  dropFindings,
  putFindings,
  type ScopeChange,
} from './findings.ts'

export type VerificationRow = Selectable<Schema['verifications']>

type NewVerification = { jobId: string; repairs: boolean; approved: boolean; documents: number }

export async function insertVerification(
  db: Database,
  { jobId, repairs, approved, documents }: NewVerification,
): Promise<void> {
  await db
    .insertInto('verifications')
    .values({ job_id: jobId, repairs, approved, documents_total: String(documents) })
    .execute()
}

export async function readVerification(db: Database, jobId: string): Promise<VerificationRow | undefined> {
  return db.selectFrom('verifications').selectAll().where('job_id', '=', jobId).executeTakeFirst()
}

/** What one slice found, and where the next one begins. */
export type VerificationSlice = {
  phase: VerificationPhase
  cursor: string | null
  scopes?: ScopeChange[]
  differences?: DocumentFindings[]
  /** Differences that are no longer there. */
  dropped?: Pick<DocumentFindings, 'recordId' | 'ledger'>[]
  documents?: number
  listed?: number
  foreign?: number
  removed?: number
  repairJobs?: { id: string; workflow_id: string }[]
}

/** False if another task recorded this slice first. `alongside` runs in the same transaction. */
export async function saveSlice(
  db: Database,
  { job_id: jobId, revision }: Pick<VerificationRow, 'job_id' | 'revision'>,
  slice: VerificationSlice,
  alongside: (transaction: Database) => Promise<void> = async () => {},
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('verifications')
      .set({
        phase: slice.phase,
        cursor: slice.cursor,
        revision: revision + 1,
        waits_for: null,
        documents_compared: sql`documents_compared + ${slice.documents ?? 0}`,
        elements_listed: sql`elements_listed + ${slice.listed ?? 0}`,
        foreign_elements: sql`foreign_elements + ${slice.foreign ?? 0}`,
        removed_elements: sql`removed_elements + ${slice.removed ?? 0}`,
        ...(slice.repairJobs ? { repair_jobs: storableJson(slice.repairJobs) } : {}),
      })
      .where('job_id', '=', jobId)
      .where('revision', '=', revision)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await addToScopes(transaction, jobId, slice.scopes ?? [])
    await dropFindings(transaction, jobId, slice.dropped ?? [])
    await putFindings(transaction, jobId, slice.differences ?? [])
    await alongside(transaction)
    return true
  })
}

/** Begins again, because another index has taken the name. False if another task did so first. */
export async function restartVerification(
  db: Database,
  { job_id: jobId, revision }: Pick<VerificationRow, 'job_id' | 'revision'>,
  identity: string,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('verifications')
      .set({
        phase: 'ledger' as const,
        cursor: null,
        revision: revision + 1,
        documents_compared: '0',
        elements_listed: '0',
        foreign_elements: '0',
      })
      .where('job_id', '=', jobId)
      .where('revision', '=', revision)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    for (const table of ['verification_scopes', 'verification_differences'] as const)
      await transaction.deleteFrom(table).where('job_id', '=', jobId).execute()
    await transaction.updateTable('jobs').set({ index_identity: identity }).where('id', '=', jobId).execute()
    return true
  })
}

export async function recordWait(db: Database, jobId: string, contentJob: string): Promise<void> {
  await db.updateTable('verifications').set({ waits_for: contentJob }).where('job_id', '=', jobId).execute()
}

export async function recordFailure(db: Database, jobId: string, code: string): Promise<void> {
  await db.updateTable('verifications').set({ error_code: code }).where('job_id', '=', jobId).execute()
}

/** Counts the findings and keeps those that are shown. */
export async function trimFindings(db: Database, jobId: string, shown: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`
      update verifications set findings = greatest(findings, (
        select coalesce(sum(jsonb_array_length(findings)), 0) from verification_differences where job_id = ${jobId}::uuid
      )) where job_id = ${jobId}::uuid
    `.execute(transaction)
    await sql`
      delete from verification_differences where job_id = ${jobId}::uuid and record_id > (
        select record_id from verification_differences where job_id = ${jobId}::uuid
        order by record_id, ledger offset ${shown} limit 1
      )
    `.execute(transaction)
  })
}

/** Returns the repair once, if it changed something. */
export async function takeAudit(db: Database, jobId: string): Promise<VerificationRow | undefined> {
  return db
    .updateTable('verifications')
    .set({ audited: true })
    .where('job_id', '=', jobId)
    .where('audited', '=', false)
    .where(sql<boolean>`(removed_elements > 0 or repair_jobs <> '[]')`)
    .returningAll()
    .executeTakeFirst()
}
