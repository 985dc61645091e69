import { type Kysely, sql } from 'kysely'

/** Answers of models by what was asked, so that a second run asks nothing twice and says the same. */
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
