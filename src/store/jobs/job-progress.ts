import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { type StateCounts, ZERO_COUNTS } from './job-documents.ts'
import type { JobRow } from './jobs.ts'

/** Rates cover the last 30 s, or all of an ended job. */
export type Progress = {
  job: JobRow
  states: StateCounts
  /** Documents in `states` that need or needed processing. */
  toWork: number
  documentsPerSecond: number
  elementsPerSecond: number
  /** Processed documents over the whole runtime. */
  averagePerSecond: number
}

// The 50 documents of a slice end at the same time; a shorter window would alternate between none and many.
const WINDOW_SECONDS = 30

type Row = JobRow & {
  states: Partial<StateCounts> | null
  worked: string
  to_work: string
  age: string
  elements: string | null
  seconds: string
}

/** One statement, so that job and documents are of the same moment; called every second. */
export async function readProgress(db: Database, jobId: string): Promise<Progress | undefined> {
  const { rows } = await sql<Row>`
    select jobs.*, counted.*, span.seconds, span.age
    from jobs,
      lateral (
        select case when finished_at is null
          then least(${WINDOW_SECONDS}, extract(epoch from now() - coalesce(started_at, now())))
          else extract(epoch from finished_at - coalesce(started_at, finished_at)) end as seconds,
          extract(epoch from coalesce(finished_at, now()) - coalesce(started_at, now())) as age
      ) as span,
      lateral (
        select jsonb_object_agg(state, documents) as states, coalesce(sum(worked), 0) as worked,
          coalesce(sum(to_work), 0) as to_work, sum(elements) as elements
        from (
          select state, count(*) as documents, count(*) filter (where slice is not null or state = 'pending') as to_work,
            count(*) filter (where recent) as worked, sum(elements) filter (where recent) as elements
          from (
            select state, slice, elements, slice is not null and state not in ('pending', 'in_progress')
              and (jobs.finished_at is not null or updated_at > now() - make_interval(secs => ${WINDOW_SECONDS}))
              as recent
            from job_documents where job_id = jobs.id
          ) as each group by state
        ) as by_state
      ) as counted
    where jobs.id = ${jobId}::uuid
  `.execute(db)
  const row = rows[0]
  if (!row) return undefined
  const { states, worked, to_work: toWork, elements, seconds, age, ...job } = row
  const perSecond = (count: number, span = seconds) =>
    Number(span) > 0 ? Math.round((10 * count) / Number(span)) / 10 : 0
  const counted = { ...ZERO_COUNTS, ...(job.counts ?? states) }
  const left = counted.pending + counted.in_progress
  return {
    job,
    // A pruned job has counts but no documents.
    states: counted,
    toWork: Number(toWork),
    documentsPerSecond: perSecond(Number(worked)),
    elementsPerSecond: perSecond(Number(elements ?? 0)),
    averagePerSecond: Number(age) > 0 ? Math.max(0, Number(toWork) - left) / Number(age) : 0,
  }
}
