import { type Kysely, sql } from 'kysely'

/**
 * Workers claim documents of a job when they have time for them; a task no longer has fixed documents. Unchanged documents
 * have no rows: `job_scopes` counts them and holds how far each scope was listed.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const NEEDS_WORK = `kind not in ('unchanged', 'skipped') and state <> 'removed'`

function counted(rows: string, n: 1 | -1): string {
  return `select job_id, state, ${n} as n, ${NEEDS_WORK} as needs_work, coalesce(elements, 0) as elements from ${rows}`
}

// In one order, so that concurrent statements do not wait for each other in a circle.
function addCounts(changes: string): string {
  return `insert into job_counts as c (job_id, state, documents, processed, elements)
    select job_id, state, sum(n), coalesce(sum(n) filter (where needs_work), 0), sum(n * elements)
    from (${changes}) as changes group by job_id, state order by job_id, state
    on conflict (job_id, state) do update set documents = c.documents + excluded.documents,
      processed = c.processed + excluded.processed, elements = c.elements + excluded.elements`
}

// Jobs of uploads and removals have no slices.
const HAS_SLICES = `jobs.status in ('SCHEDULED', 'IN_PROGRESS') and jobs.kind = 'content'
  and jobs.settings->>'source_id' is not null and not jobs.settings ? 'remove_elements'`

const statements = [
  `set local lock_timeout = '30s'`,
  `create table job_scopes (
    job_id uuid not null references jobs on delete cascade,
    scope text collate "C" not null,
    -- All documents up to this position are recorded; null before the first.
    position text collate "C",
    -- When reading of its permissions began.
    as_of timestamptz not null,
    unchanged integer not null default 0,
    -- Whether a newer listing of the scope made this one useless for permissions.
    outdated boolean not null default false,
    ended boolean not null default false,
    -- The last position, if a limit cut the scope.
    up_to text collate "C",
    primary key (job_id, scope)
  )`,
  // Documents of the ledger that the listing of a job did not show.
  `create table unlisted_documents (
    job_id uuid not null references jobs on delete cascade,
    record_id text collate "C" not null,
    primary key (job_id, record_id)
  )`,
  // The task that claimed the document.
  `alter table job_documents add column task uuid`,
  `create index job_documents_claimed on job_documents (job_id, task) where state = 'in_progress'`,
  // Kept by triggers, so that no query counts documents.
  `create table job_counts (
    job_id uuid not null references jobs on delete cascade,
    state text not null,
    documents bigint not null default 0,
    -- Documents that a worker had to process.
    processed bigint not null default 0,
    elements bigint not null default 0,
    primary key (job_id, state)
  )`,
  // Four slots of ten seconds each, for the rate of a running job.
  `create unlogged table job_rates (
    job_id uuid not null,
    slot smallint not null,
    began bigint not null,
    documents bigint not null,
    elements bigint not null,
    primary key (job_id, slot)
  )`,
  `create function count_job_documents() returns trigger language plpgsql as $$
  begin
    ${addCounts(counted('after_rows', 1))};
    return null;
  end $$`,
  `create function recount_job_documents() returns trigger language plpgsql as $$
  begin
    ${addCounts(`${counted('after_rows', 1)} union all ${counted('before_rows', -1)}`)};
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
  `create function uncount_job_documents() returns trigger language plpgsql as $$
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
    return null;
  end $$`,
  `create trigger count_inserted after insert on job_documents referencing new table as after_rows
    for each statement execute function count_job_documents()`,
  `create trigger count_updated after update on job_documents referencing old table as before_rows new table as after_rows
    for each statement execute function recount_job_documents()`,
  `create trigger count_deleted after delete on job_documents referencing old table as before_rows
    for each statement execute function uncount_job_documents()`,
  // Counts of earlier jobs.
  `insert into job_counts (job_id, state, documents)
    select id, c.key, c.value::text::bigint from jobs, jsonb_each(counts) as c where counts is not null`,
  `insert into job_counts (job_id, state, documents, processed, elements)
    select job_id, state, count(*), count(*) filter (where ${NEEDS_WORK}), sum(coalesce(elements, 0))
    from job_documents where job_id in (select id from jobs where counts is null) group by job_id, state`,
  // Removals that wait for approval stay as they were listed.
  `insert into job_scopes (job_id, scope, as_of, ended, up_to)
    select id, s.key, created_at, true, s.value #>> '{}' from jobs, jsonb_each(closed_scopes) as s where held_back > 0`,
  `insert into unlisted_documents (job_id, record_id)
    select jobs.id, d.record_id from jobs join documents as d on d.workflow_id = jobs.workflow_id
    where jobs.held_back > 0 and not exists (
      select from job_documents as j where j.job_id = jobs.id and j.record_id = d.record_id and j.state <> 'removed')`,
  // Tasks of the release before name slices, which no longer exist.
  `update job_documents as d set state = 'skipped', error_code = 'cancelled',
      error_message = 'the job was stopped by an update of Millrace'
    from jobs where jobs.id = d.job_id and ${HAS_SLICES} and d.state in ('pending', 'in_progress')`,
  `update jobs set status = 'STOPPED', processing_status = 'STOPPED', finished_at = now(),
      message = 'Stopped by an update of Millrace. Run the workflow again.'
    where ${HAS_SLICES}`,
  `do $$ begin
    if to_regclass('pgboss.job') is not null then
      delete from pgboss.job where name = 'slice' and state in ('created', 'retry', 'active');
    end if;
  end $$`,
]
