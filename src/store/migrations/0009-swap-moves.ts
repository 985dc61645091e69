import { type Kysely, sql } from 'kysely'

/** When the request that moves the alias was sent; until then none can arrive late. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table swaps add column moving_at timestamptz`,
  // Of those that are there nobody knows it.
  `update swaps set moving_at = now()`,
]
