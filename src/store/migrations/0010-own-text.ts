import { type Kysely, sql } from 'kysely'

/**
 * A document's elements hold its own text only where this is the fence of the row. Earlier releases, which may have
 * taken other pages' text along, write the fence and not this column.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ['documents', 'staged_documents'])
    await sql`alter table ${sql.table(table)} add column own_text bigint`.execute(db)
}
