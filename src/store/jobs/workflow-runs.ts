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
  const { rows } = await sql<JobRow & Omit<WorkflowRun, 'job'>>`
    select jobs.*, counted.*, extract(epoch from finished_at - started_at)::double precision as seconds
    from jobs, lateral (
      select coalesce(jsonb_object_agg(state, documents), '{}') as states,
        coalesce(sum(elements), 0)::double precision as elements
      from (${statesOf(sql`jobs.id`)}) as by_state
    ) as counted
    where jobs.workspace_id = ${workflow.workspaceId}::uuid and jobs.workflow_id = ${workflow.id}::uuid
      and jobs.kind = 'content'
    order by jobs.created_at desc limit ${limit}
  `.execute(db)
  return rows.map(({ states, elements, seconds, ...job }) => ({ job, states, elements, seconds }))
}

/** How many documents the newest listing found, by scope. */
export async function documentsByScope(db: Database, workflowId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ scope: string; documents: number }>`
    select scope, count(*)::int as documents from wanted_documents
    where workflow_id = ${workflowId}::uuid and hidden is distinct from 'unlisted' group by scope
  `.execute(db)
  return new Map(rows.map(({ scope, documents }) => [scope, documents]))
}

/** What earlier runs of a workflow say about the next one. */
export type Experience = { documents: number; elements: number; runs: number; medianSeconds: number | null }

const MEDIAN_RUNS = 5

export async function experienceOf(db: Database, workflowId: string): Promise<Experience> {
  const { rows } = await sql<Experience>`
    with recent as (
      select extract(epoch from finished_at - started_at)::double precision as seconds from jobs
      where workflow_id = ${workflowId}::uuid and kind = 'content' and status = 'COMPLETED'
        and started_at is not null and not settings ?| array['retry_of', 'repair', 'remove_elements']
      order by created_at desc limit ${MEDIAN_RUNS}
    ),
    kept as (
      select count(*)::int as documents, coalesce(sum(cardinality(element_ids)), 0)::double precision as elements
      from documents where ledger_id = ${searchedLedger(workflowId)} and skipped is null
    )
    select kept.*, (select count(*)::int from recent) as runs,
      (select percentile_cont(0.5) within group (order by seconds) from recent) as "medianSeconds"
    from kept
  `.execute(db)
  return rows[0]!
}
