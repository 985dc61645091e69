import { sql } from 'kysely'
import type { DocumentStage } from '../../document-stage.ts'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'
import { statesOf } from './job-counts.ts'
import { type StateCounts, ZERO_COUNTS } from './job-documents.ts'

/** Documents by stage and state, for those that have a stage. */
export type StageCount = { stage: string; state: string; documents: number }

export type JobDocumentCounts = { states: StateCounts; stages: StageCount[] }

/** One statement, because two would see different moments of a running job. */
export async function readDocumentCounts(db: Database, jobId: string): Promise<JobDocumentCounts> {
  const id = sql`${jobId}::uuid`
  const { rows } = await sql<{ states: Partial<StateCounts> | null; stages: StageCount[] | null }>`
    select (select jsonb_object_agg(state, documents) from (${statesOf(id)}) as by_state) as states,
      (select jsonb_agg(to_jsonb(by_stage)) from (${stagesOf(id)}) as by_stage) as stages
  `.execute(db)
  return { states: { ...ZERO_COUNTS, ...rows[0]?.states }, stages: rows[0]?.stages ?? [] }
}

export function stagesOf(jobId: ReturnType<typeof sql>) {
  return sql`select stage, state, documents::double precision as documents from job_stages where job_id = ${jobId} and documents <> 0`
}

/** Records where claimed documents are. Never waits for another task, because the stage is only shown. */
export async function recordStages(
  db: Database,
  by: { jobId: string; fence: number },
  stages: ReadonlyMap<string, DocumentStage>,
): Promise<void> {
  const rows = [...stages].map(([recordId, stage]) => ({ record_id: recordId, stage }))
  await sql`
    with mine as materialized (
      select j.record_id, d.stage
      from jsonb_to_recordset(${storableJson(rows)}::jsonb) as d(record_id text, stage text)
      join job_documents as j on j.job_id = ${by.jobId}::uuid and j.record_id = d.record_id
      where j.fence = ${by.fence}::bigint and j.state = 'in_progress' and j.stage is distinct from d.stage
      for update of j skip locked
    )
    update job_documents as j set stage = mine.stage from mine
    where j.job_id = ${by.jobId}::uuid and j.record_id = mine.record_id
  `.execute(db)
}
