import { sql } from 'kysely'
import type { Database } from '../../store/database.ts'

type Subject = { jobId: string } | { workflowId: string } | { checkId: string } | { channelId: string }
type TurnTask = { queue: string; key: string; data: Subject }

/** A place in the order of a queue; null if the same task waits or runs already. */
export type Turn = { workspaceId: string | null; turn: number }

/**
 * Start-time fair queueing: each workspace takes one turn after the other, and a new one begins at the turn that runs
 * now, before the waiting tasks of others.
 */
export async function takeTurn(db: Database, { queue, key, data }: TurnTask): Promise<Turn | null> {
  const { rows } = await sql<{ workspace_id: string | null; turn: number }>`
    with workspace as (select (${workspaceOf(data)}) as id),
    taken as (
      insert into task_turns as t (queue, flow, turn)
      select ${queue}, workspace.id::text, ${currentTurn(queue)} from workspace
      where workspace.id is not null and not exists (
        select from pgboss.job where name = ${queue} and coalesce(singleton_key, '') = ${key}
          and state <= 'active' and policy = 'exclusive')
      on conflict (queue, flow) do update set used_at = now(), turn = greatest(excluded.turn, t.turn + 1)
      returning turn
    )
    select workspace.id as workspace_id, taken.turn from workspace left join taken on true
  `.execute(db)
  const [row] = rows
  if (!row || row.workspace_id === null) return { workspaceId: null, turn: 0 }
  return row.turn === null ? null : { workspaceId: row.workspace_id, turn: row.turn }
}

/** The first tasks of a job cost half, so that a small job next to a large one ends early. */
const FIRST_TASKS = 20

/** Turns for new content tasks of a job with these numbers: by job, and jobs of one workspace share its turns. */
export async function takeTurns(
  db: Database,
  { queue, jobId, numbers }: { queue: string; jobId: string; numbers: number[] },
): Promise<Turn[]> {
  const costs = numbers.map((number) => (number < FIRST_TASKS ? 1 : 2))
  const rest = costs.slice(1).reduce((sum, cost) => sum + cost, 0)
  const { rows } = await sql<{ workspace_id: string; last: number; jobs: number }>`
    with job as (
      select workspace_id as id, greatest(1, (
        select count(*) from jobs as other
        where other.status in ('SCHEDULED', 'IN_PROGRESS') and other.kind = 'content'
          and other.workspace_id = jobs.workspace_id))::int as jobs
      from jobs where id = ${jobId}::uuid
    ),
    taken as (
      insert into task_turns as t (queue, flow, turn)
      select ${queue}, ${jobId}, ${currentTurn(queue)} + ${rest}::int * job.jobs from job
      on conflict (queue, flow) do update set used_at = now(), turn = greatest(excluded.turn,
        t.turn + (select (${costs[0] ?? 1}::int + ${rest}::int) * jobs from job))
      returning turn
    )
    select job.id as workspace_id, taken.turn as last, job.jobs from job, taken
  `.execute(db)
  const [row] = rows
  if (!row) return []
  let turn = row.last - rest * row.jobs
  return costs.map((cost, at) => {
    if (at > 0) turn += cost * row.jobs
    return { workspaceId: row.workspace_id, turn }
  })
}

function currentTurn(queue: string) {
  return sql`coalesce(
    (select greatest(
      (select max(-priority) from pgboss.job where name = ${queue} and state = 'active' and group_id is not null),
      (select -priority from pgboss.job where name = ${queue} and state < 'active' and not blocked
       order by priority desc, created_on limit 1))),
    (select max(turn) from task_turns where queue = ${queue}), 0)`
}

function workspaceOf(data: Subject) {
  if ('jobId' in data) return sql`select workspace_id from jobs where id = ${data.jobId}::uuid`
  if ('workflowId' in data) return sql`select workspace_id from workflows where id = ${data.workflowId}::uuid`
  if ('channelId' in data)
    return sql`select workspace_id from notification_channels where id = ${data.channelId}::uuid`
  return sql`
    select workspace_id from connectors where id = (
      select connector_id from connection_checks where id = ${data.checkId}::uuid)
  `
}

/** A flow without tasks for a day begins again at the current turn. */
export async function pruneTurns(db: Database): Promise<void> {
  await sql`delete from task_turns where used_at < now() - interval '1 day'`.execute(db)
}
