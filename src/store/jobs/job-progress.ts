import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { statesOf } from './job-counts.ts'
import { type StateCounts, ZERO_COUNTS } from './job-documents.ts'
import { type StageCount, stagesOf } from './job-stages.ts'
import type { JobRow } from './jobs.ts'

/** Rates cover the last 20 to 30 s, or all of an ended job. */
export type Progress = {
  job: JobRow
  states: StateCounts
  stages: StageCount[]
  /** Documents in `states` that need or needed processing. */
  toProcess: number
  documentsPerSecond: number
  elementsPerSecond: number
  /** Processed documents over the whole runtime. */
  averagePerSecond: number
}

/** Rates are counted in slots of ten seconds; the current one is incomplete. */
const SLOT_SECONDS = 10
const SLOTS = 3

type Row = JobRow & {
  states: Partial<StateCounts> | null
  stages: StageCount[] | null
  to_work: string | null
  elements: string | null
  recent_documents: string | null
  recent_elements: string | null
  window_seconds: number
  age: number
}

/** Reads a few rows, however large the job is; called every second. */
export async function readProgress(db: Database, jobId: string): Promise<Progress | undefined> {
  const { rows } = await sql<Row>`
    select jobs.*, counted.*, recent.*, by_stage.*,
      extract(epoch from coalesce(finished_at, now()) - coalesce(started_at, now()))::double precision as age,
      (extract(epoch from now()) - ${SLOT_SECONDS} * (floor(extract(epoch from now()) / ${SLOT_SECONDS}) - ${SLOTS - 1}))
        ::double precision as window_seconds
    from jobs,
      lateral (
        select jsonb_object_agg(state, documents) as states, sum(processed) as to_work, sum(elements) as elements
        from (${statesOf(sql`jobs.id`)}) as by_state
      ) as counted,
      lateral (
        select sum(documents) as recent_documents, sum(r.elements) as recent_elements from job_rates as r
        where job_id = jobs.id and began > floor(extract(epoch from now()) / ${SLOT_SECONDS}) - ${SLOTS}
      ) as recent,
      lateral (select jsonb_agg(to_jsonb(s)) as stages from (${stagesOf(sql`jobs.id`)}) as s) as by_stage
    where jobs.id = ${jobId}::uuid
  `.execute(db)
  const row = rows[0]
  if (!row) return undefined
  const {
    states,
    stages,
    to_work: toWork,
    elements,
    recent_documents: recentDocuments,
    recent_elements: recentElements,
    window_seconds: windowSeconds,
    age,
    ...job
  } = row
  const counted = { ...ZERO_COUNTS, ...states }
  const left = counted.pending + counted.in_progress
  const toProcess = Number(toWork ?? 0)
  const hasEnded = job.finished_at !== null
  const seconds = hasEnded ? age : Math.min(windowSeconds, age)
  const perSecond = (count: number) => (seconds > 0 ? Math.round((10 * count) / seconds) / 10 : 0)
  return {
    job,
    states: counted,
    stages: stages ?? [],
    toProcess,
    documentsPerSecond: perSecond(hasEnded ? toProcess - left : Number(recentDocuments ?? 0)),
    elementsPerSecond: perSecond(Number((hasEnded ? elements : recentElements) ?? 0)),
    averagePerSecond: age > 0 ? Math.max(0, toProcess - left) / age : 0,
  }
}
