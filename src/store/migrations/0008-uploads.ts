import { type Kysely, sql } from 'kysely'

/** Files sent with a job, and the output of each node. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table uploads (
    job_id uuid not null references jobs on delete cascade,
    file_id uuid not null,
    place integer not null,
    filename text not null,
    content bytea,
    primary key (job_id, file_id)
  )`,
  `create table outputs (
    job_id uuid not null,
    file_id uuid not null,
    node_id uuid not null,
    place integer not null,
    elements bytea not null,
    created_at timestamptz not null default now(),
    primary key (job_id, file_id, node_id),
    foreign key (job_id, file_id) references uploads on delete cascade
  )`,
  `create index on outputs (created_at)`,
]
