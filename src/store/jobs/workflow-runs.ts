import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { searchedLedger } from '../ledger/ledgers.ts'
import { statesOf } from './job-counts.ts'
import type { JobRow } from './jobs.ts'

export type WorkflowRun = {
  job: JobRow
  states: Record<string, number>
  elements: number
  seconds: number | null
}

/** The newest content jobs of a workflow, with their counts and duration. */
export async function workflowRuns(
  db: Database,
  workflow: { id: string; workspaceId: string },
  limit: number,
): Promise<WorkflowRun[]> {
  const { rows } = await sql<
    JobRow & { states: Record<string, number> | null; elements: string | null; seconds: number | null }
  >`
    select jobs.*, counted.*, extract(epoch from finished_at - started_at)::double precision as seconds
    from jobs, lateral (
      select jsonb_object_agg(state, documents) as states, sum(elements) as elements
      from (${statesOf(sql`jobs.id`)}) as by_state
    ) as counted
    where jobs.workspace_id = ${workflow.workspaceId}::uuid and jobs.workflow_id = ${workflow.id}::uuid
      and jobs.kind = 'content'
    order by jobs.created_at desc limit ${limit}
  `.execute(db)
  return rows.map(({ states, elements, seconds, ...job }) => ({
    job,
    states: states ?? {},
    elements: Number(elements ?? 0),
    seconds,
  }))
}

/** How many documents the newest listing found, by scope. */
export async function documentsByScope(db: Database, workflowId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ scope: string; documents: string }>`
    select scope, count(*) as documents from wanted_documents
    where workflow_id = ${workflowId}::uuid and hidden is distinct from 'unlisted' group by scope
  `.execute(db)
  return new Map(rows.map(({ scope, documents }) => [scope, Number(documents)]))
}

/** What earlier runs of a workflow say about the next one. */
export type Experience = { documents: number; elements: number; runs: number; medianSeconds: number | null }

const MEDIAN_RUNS = 5

export async function experienceOf(db: Database, workflowId: string): Promise<Experience> {
  const { rows } = await sql<{ documents: string; elements: string; runs: string; median: number | null }>`
    with recent as (
      select extract(epoch from finished_at - started_at)::double precision as seconds from jobs
      where workflow_id = ${workflowId}::uuid and kind = 'content' and status = 'COMPLETED'
        and started_at is not null and not settings ?| array['retry_of', 'repair', 'remove_elements']
      order by created_at desc limit ${MEDIAN_RUNS}
    ),
    kept as (
      select count(*) as documents, coalesce(sum(cardinality(element_ids)), 0) as elements
      from documents where ledger_id = ${searchedLedger(workflowId)} and skipped is null
    )
    select kept.*, (select count(*) from recent) as runs,
      (select percentile_cont(0.5) within group (order by seconds) from recent) as median
    from kept
  `.execute(db)
  const row = rows[0]!
  return {
    documents: Number(row.documents),
    elements: Number(row.elements),
    runs: Number(row.runs),
    medianSeconds: row.median,
  }
}
