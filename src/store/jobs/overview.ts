import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { JobRow } from './jobs.ts'

type DayCounts = { day: string; new: number; changed: number; removed: number; failed: number }

/** Totals of a workspace and its recent jobs; times are in UTC. */
export type Overview = {
  documents: number
  elements: number
  sources: number
  destinations: number
  workflows: number
  /** Failed documents, and failed jobs, of the last seven days. */
  failures: number
  failedJobs: number
  /** When the oldest permissions in force were read; null before the first listing ends. */
  permissionsAsOf: Date | null
  /** Scopes whose permissions are older than their workflow allows. */
  hiddenScopes: number
  byDay: DayCounts[]
}

const OVERVIEW_DAYS = 14

export async function readOverview(db: Database, workspaceId: string): Promise<Overview> {
  const [totals, days] = await Promise.all([readTotals(db, workspaceId), readDays(db, workspaceId)])
  return { ...totals, byDay: days }
}

export async function lastJobs(db: Database, workspaceId: string, limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'content')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

export async function countRunningJobs(db: Database, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ running: number }>`
    select count(*)::int as running from jobs
    where workspace_id = ${workspaceId}::uuid and kind = 'content' and status = 'IN_PROGRESS'
  `.execute(db)
  return rows[0]!.running
}

/** What is done of setting up a workspace. */
export type Setup = {
  has_source: boolean
  has_sample_run: boolean
  has_run: boolean
  has_schedule: boolean
  has_colleague: boolean
  has_token: boolean
}

/** Sources of the sample types count for the sample alone. */
export async function readSetup(db: Database, workspaceId: string, sampleTypes: string[]): Promise<Setup> {
  const { rows } = await sql<Setup>`
    with runs as (
      select connectors.type = any(${sampleTypes}) as is_sample, workflows.schedule is not null as is_scheduled,
        exists (select from jobs where workflow_id = workflows.id and kind = 'content' and status = 'COMPLETED') as has_run
      from workflows join connectors on connectors.id = workflows.source_id
      where workflows.workspace_id = ${workspaceId}::uuid and deleted_at is null
    )
    select
      exists (select from connectors where workspace_id = ${workspaceId}::uuid and kind = 'source'
        and type <> all(${sampleTypes})) as has_source,
      exists (select from runs where is_sample and has_run) as has_sample_run,
      exists (select from runs where not is_sample and has_run) as has_run,
      exists (select from runs where not is_sample and is_scheduled) as has_schedule,
      exists (select from invitations where workspace_id = ${workspaceId}::uuid)
        or (select count(*) > 1 from workspace_members where workspace_id = ${workspaceId}::uuid) as has_colleague,
      exists (select from api_keys where workspace_id = ${workspaceId}::uuid and scope = 'search') as has_token
  `.execute(db)
  return rows[0]!
}

async function readTotals(db: Database, workspaceId: string): Promise<Omit<Overview, 'byDay'>> {
  const { rows } = await sql<Omit<Overview, 'byDay'>>`
    with current as (select id, ledger_id from workflows where workspace_id = ${workspaceId}::uuid and deleted_at is null),
    kept as (
      select count(*)::int as documents, coalesce(sum(cardinality(element_ids)), 0)::double precision as elements
      from documents where ledger_id in (select ledger_id from current) and skipped is null
    ),
    recent as (
      select id, status from jobs
      where workspace_id = ${workspaceId}::uuid and kind = 'content' and created_at > now() - interval '7 days'
    )
    select kept.documents, kept.elements,
      (select count(*)::int from connectors where workspace_id = ${workspaceId}::uuid and kind = 'source') as sources,
      (select count(*)::int from connectors where workspace_id = ${workspaceId}::uuid and kind = 'destination')
        as destinations,
      (select count(*)::int from current) as workflows,
      (select coalesce(sum(d.documents), 0)::double precision from recent join job_counts as d on d.job_id = recent.id and d.state = 'failed')
        as failures,
      (select count(*)::int from recent where status = 'FAILED') as "failedJobs",
      (select min(proved_at) from workflow_scopes where workflow_id in (select id from current)) as "permissionsAsOf",
      (select count(*)::int from workflow_scopes join workflows on workflows.id = workflow_id
        where workflow_id in (select id from current) and max_permission_age_hours is not null
          and (proved_at is null or proved_at < now() - make_interval(secs => max_permission_age_hours * 3600)))
        as "hiddenScopes"
    from kept
  `.execute(db)
  return rows[0]!
}

async function readDays(db: Database, workspaceId: string): Promise<DayCounts[]> {
  const { rows } = await sql<DayCounts>`
    with days as (
      select generate_series(date_trunc('day', now(), 'UTC') - make_interval(days => ${OVERVIEW_DAYS - 1}),
        date_trunc('day', now(), 'UTC'), interval '1 day') as day
    ),
    happened as (
      select date_trunc('day', jobs.created_at, 'UTC') as day, counted.state, counted.documents
      from jobs join job_counts as counted on counted.job_id = jobs.id
      where workspace_id = ${workspaceId}::uuid and kind = 'content' and created_at >= (select min(day) from days)
    )
    select to_char(days.day at time zone 'UTC', 'YYYY-MM-DD') as day,
      coalesce(sum(documents) filter (where state = 'new'), 0)::double precision as new,
      coalesce(sum(documents) filter (where state in ('changed', 'permissions_only')), 0)::double precision as changed,
      coalesce(sum(documents) filter (where state = 'removed'), 0)::double precision as removed,
      coalesce(sum(documents) filter (where state = 'failed'), 0)::double precision as failed
    from days left join happened on happened.day = days.day
    group by days.day order by days.day
  `.execute(db)
  return rows
}
