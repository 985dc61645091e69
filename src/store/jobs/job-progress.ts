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
  stages: StageCount[]
  toProcess: number
  elements: number
  recentDocuments: number
  recentElements: number
  windowSeconds: number
  age: number
}

/** Reads a few rows, however large the job is; called every second. */
export async function readProgress(db: Database, jobId: string): Promise<Progress | undefined> {
  const { rows } = await sql<Row>`
    select jobs.*, counted.*, recent.*, by_stage.*,
      extract(epoch from coalesce(finished_at, now()) - coalesce(started_at, now()))::double precision as age,
      (extract(epoch from now()) - ${SLOT_SECONDS} * (floor(extract(epoch from now()) / ${SLOT_SECONDS}) - ${SLOTS - 1}))
        ::double precision as "windowSeconds"
    from jobs,
      lateral (
        select jsonb_object_agg(state, documents) as states, coalesce(sum(processed), 0)::double precision as "toProcess",
          coalesce(sum(elements), 0)::double precision as elements
        from (${statesOf(sql`jobs.id`)}) as by_state
      ) as counted,
      lateral (
        select coalesce(sum(documents), 0)::double precision as "recentDocuments",
          coalesce(sum(r.elements), 0)::double precision as "recentElements"
        from job_rates as r
        where job_id = jobs.id and began > floor(extract(epoch from now()) / ${SLOT_SECONDS}) - ${SLOTS}
      ) as recent,
      lateral (select coalesce(jsonb_agg(to_jsonb(s)), '[]') as stages from (${stagesOf(sql`jobs.id`)}) as s) as by_stage
    where jobs.id = ${jobId}::uuid
  `.execute(db)
  const row = rows[0]
  if (!row) return undefined
  const { states, stages, toProcess, elements, recentDocuments, recentElements, windowSeconds, age, ...job } =
    row
  const counted = { ...ZERO_COUNTS, ...states }
  const left = counted.pending + counted.in_progress
  const hasEnded = job.finished_at !== null
  const seconds = hasEnded ? age : Math.min(windowSeconds, age)
  const perSecond = (count: number) => (seconds > 0 ? Math.round((10 * count) / seconds) / 10 : 0)
  return {
    job,
    states: counted,
    stages,
    toProcess,
    documentsPerSecond: perSecond(hasEnded ? toProcess - left : recentDocuments),
    elementsPerSecond: perSecond(hasEnded ? elements : recentElements),
    averagePerSecond: age > 0 ? Math.max(0, toProcess - left) / age : 0,
  }
}
