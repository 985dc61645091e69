import { type Kysely, sql } from 'kysely'

/** When the request to move the alias was sent; before that, none can arrive late. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table swaps add column moving_at timestamptz`,
  // Unknown for existing swaps, so assume it was sent.
  `update swaps set moving_at = now()`,
]
