import { type Kysely, sql } from 'kysely'

/** The bytes of kept results by workspace, so that a quota does not add up a week of results. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

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

const statements = [
  `set local lock_timeout = '30s'`,
  `create table upload_usage (
    workspace_id uuid primary key references workspaces on delete cascade,
    output_bytes bigint not null default 0
  )`,
  // Filled by a trigger, because processes of an earlier release do not know it.
  `alter table outputs add column workspace_id uuid`,
  `update outputs as o set workspace_id = j.workspace_id from jobs as j where j.id = o.job_id`,
  addBytes(sums('outputs', '')),
  `create index on outputs (workspace_id, created_at)`,
  `create index uploads_waiting on uploads (job_id) where content is not null`,
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
