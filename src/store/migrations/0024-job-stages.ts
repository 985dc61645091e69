import { type Kysely, sql } from 'kysely'

/** Documents of a job by stage, so that each node counts what reached it; and what a limit left out. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const NEEDS_WORK = `kind not in ('unchanged', 'skipped') and state <> 'removed'`

function counted(rows: string, n: 1 | -1): string {
  return `select job_id, state, stage, ${n} as n, ${NEEDS_WORK} as needs_work, coalesce(elements, 0) as elements from ${rows}`
}

// In one order, so that concurrent statements do not wait for each other in a circle.
function addCounts(changes: string): string {
  return `insert into job_counts as c (job_id, state, documents, processed, elements)
    select job_id, state, sum(n), coalesce(sum(n) filter (where needs_work), 0), sum(n * elements)
    from (${changes}) as changes group by job_id, state order by job_id, state
    on conflict (job_id, state) do update set documents = c.documents + excluded.documents,
      processed = c.processed + excluded.processed, elements = c.elements + excluded.elements`
}

function addStages(changes: string): string {
  return `insert into job_stages as c (job_id, stage, state, documents)
    select job_id, stage, state, sum(n) from (${changes}) as changes
    where stage is not null group by job_id, stage, state having sum(n) <> 0 order by job_id, stage, state
    on conflict (job_id, stage, state) do update set documents = c.documents + excluded.documents`
}

const CHANGES = `${counted('after_rows', 1)} union all ${counted('before_rows', -1)}`

const statements = [
  `set local lock_timeout = '30s'`,
  // Where a document is or failed; null if it waits to be read, or ended well.
  `alter table job_documents add column stage text`,
  `create table job_stages (
    job_id uuid not null references jobs on delete cascade,
    stage text not null,
    state text not null,
    documents bigint not null,
    primary key (job_id, stage, state)
  )`,
  `create or replace function count_job_documents() returns trigger language plpgsql as $$
  begin
    ${addCounts(counted('after_rows', 1))};
    ${addStages(counted('after_rows', 1))};
    return null;
  end $$`,
  `create or replace function recount_job_documents() returns trigger language plpgsql as $$
  begin
    ${addCounts(CHANGES)};
    ${addStages(CHANGES)};
    insert into job_rates as r (job_id, slot, began, documents, elements)
    select job_id, began % 4, began, count(*), sum(elements) from (
      select a.job_id, coalesce(a.elements, 0) as elements, floor(extract(epoch from now()) / 10)::bigint as began
      from after_rows as a join before_rows as b on b.job_id = a.job_id and b.record_id = a.record_id
      where b.state = 'in_progress' and a.state not in ('pending', 'in_progress', 'deferred')
    ) as finished
    group by job_id, began order by job_id
    on conflict (job_id, slot) do update set began = excluded.began,
      documents = excluded.documents + case when r.began = excluded.began then r.documents else 0 end,
      elements = excluded.elements + case when r.began = excluded.began then r.elements else 0 end;
    return null;
  end $$`,
  // Pruned jobs keep their counts; a deleted job has none.
  `create or replace function uncount_job_documents() returns trigger language plpgsql as $$
  begin
    update job_counts as c set documents = c.documents - d.documents, processed = c.processed - d.processed,
      elements = c.elements - d.elements
    from (
      select job_id, state, count(*) as documents, sum(coalesce(elements, 0)) as elements,
        count(*) filter (where ${NEEDS_WORK}) as processed
      from before_rows group by job_id, state
    ) as d
    where c.job_id = d.job_id and c.state = d.state
      and exists (select from jobs where id = d.job_id and documents_kept);
    update job_stages as c set documents = c.documents - d.documents
    from (
      select job_id, stage, state, count(*) as documents from before_rows
      where stage is not null group by job_id, stage, state
    ) as d
    where c.job_id = d.job_id and c.stage = d.stage and c.state = d.state
      and exists (select from jobs where id = d.job_id and documents_kept);
    return null;
  end $$`,
  // Earlier jobs did not record it; the error shows it in most cases.
  `update job_documents set stage = case
      when kind = 'permissions_only' then 'permissions'
      when error_code like 'destination_%' then 'write'
      when error_code = 'embedder_failed' then 'embed'
      when error_code like 'model_%' or error_code like 'document_%' then 'partition'
      else 'read' end
    where state in ('failed', 'in_progress') or (state = 'pending' and kind = 'permissions_only')
      or (state = 'skipped' and error_code = 'cancelled')`,
]
