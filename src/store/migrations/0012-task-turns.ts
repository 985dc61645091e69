import { type Kysely, sql } from 'kysely'

/** The last turn that each job or workspace took in a queue. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table task_turns (
      queue text not null,
      flow text not null,
      turn integer not null,
      used_at timestamptz not null default now(),
      primary key (queue, flow)
    )
  `.execute(db)
}
