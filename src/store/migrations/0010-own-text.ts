import { type Kysely, sql } from 'kysely'

/** Earlier releases write the fence but not this column, so unequal values mean old text. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ['documents', 'staged_documents'])
    await sql`alter table ${sql.table(table)} add column own_text bigint`.execute(db)
}
