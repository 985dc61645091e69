import { type Kysely, sql } from 'kysely'

/** Cached model answers, so that repeated jobs ask nothing twice. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table model_answers (
    key bytea primary key,
    answer text not null,
    used_on date not null default current_date
  )`,
]
