import { type Kysely, sql } from 'kysely'

/** When each periodic task last began, in any process. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table periodic_tasks (name text primary key, began_at timestamptz not null)`.execute(db)
}
