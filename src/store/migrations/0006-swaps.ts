import { type Kysely, sql } from 'kysely'

/**
 * A ledger is what one index is known to hold. Each workflow has one, of the same id; a run that fills a new index
 * behind an alias keeps one of its own, of the job's id, which takes the place of the workflow's when the alias moves.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table ledgers (
    id uuid primary key,
    workflow_id uuid not null references workflows on delete cascade,
    created_at timestamptz not null default now()
  )`,
  `create index on ledgers (workflow_id)`,
  `insert into ledgers (id, workflow_id) select id, id from workflows`,
  `alter table documents drop constraint documents_workflow_id_fkey`,
  `alter table documents rename column workflow_id to ledger_id`,
  `alter table documents add foreign key (ledger_id) references ledgers on delete cascade`,
  `alter table workflows add column swap_index boolean not null default false`,
  `alter table jobs add column ledger_id uuid`,
]
