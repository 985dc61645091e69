/** Counts that statements keep up to date, so that no query counts documents or adds up results. */
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

function sums(rows: string, sign: '' | '-'): string {
  return `select workspace_id, ${sign}octet_length(elements)::bigint as bytes from ${rows}`
}

// In one order, so that concurrent statements do not wait for each other in a circle.
function addBytes(changes: string): string {
  return `insert into upload_usage as u (workspace_id, output_bytes)
    select workspace_id, sum(bytes) from (${changes}) as changes
    where workspace_id is not null group by workspace_id having sum(bytes) <> 0 order by workspace_id
    on conflict (workspace_id) do update set output_bytes = u.output_bytes + excluded.output_bytes`
}

export const counts = [
  `create function count_job_documents() returns trigger language plpgsql as $$
  begin
    ${addCounts(counted('after_rows', 1))};
    ${addStages(counted('after_rows', 1))};
    return null;
  end $$`,
  `create function recount_job_documents() returns trigger language plpgsql as $$
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
    update job_stages as c set documents = c.documents - d.documents
    from (
      select job_id, stage, state, count(*) as documents from before_rows
      where stage is not null group by job_id, stage, state
    ) as d
    where c.job_id = d.job_id and c.stage = d.stage and c.state = d.state
      and exists (select from jobs where id = d.job_id and documents_kept);
    return null;
  end $$`,
  `create trigger count_inserted after insert on job_documents referencing new table as after_rows
    for each statement execute function count_job_documents()`,
  `create trigger count_updated after update on job_documents referencing old table as before_rows new table as after_rows
    for each statement execute function recount_job_documents()`,
  `create trigger count_deleted after delete on job_documents referencing old table as before_rows
    for each statement execute function uncount_job_documents()`,
  `create function set_output_workspace() returns trigger language plpgsql as $$
  begin
    new.workspace_id := (select workspace_id from jobs where id = new.job_id);
    return new;
  end $$`,
  `create trigger set_output_workspace before insert on outputs
    for each row execute function set_output_workspace()`,
  `create function count_outputs() returns trigger language plpgsql as $$
  begin
    ${addBytes(sums('after_rows', ''))};
    return null;
  end $$`,
  `create function recount_outputs() returns trigger language plpgsql as $$
  begin
    ${addBytes(`${sums('after_rows', '')} union all ${sums('before_rows', '-')}`)};
    return null;
  end $$`,
  // Only an update: the workspace itself may be gone.
  `create function uncount_outputs() returns trigger language plpgsql as $$
  begin
    perform 1 from upload_usage where workspace_id in (select workspace_id from before_rows)
      order by workspace_id for update;
    update upload_usage as u set output_bytes = u.output_bytes - d.bytes
    from (select workspace_id, sum(octet_length(elements)::bigint) as bytes from before_rows group by workspace_id) as d
    where u.workspace_id = d.workspace_id;
    return null;
  end $$`,
  `create trigger count_outputs after insert on outputs
    referencing new table as after_rows for each statement execute function count_outputs()`,
  `create trigger recount_outputs after update on outputs
    referencing old table as before_rows new table as after_rows for each statement execute function recount_outputs()`,
  `create trigger uncount_outputs after delete on outputs
    referencing old table as before_rows for each statement execute function uncount_outputs()`,
]
