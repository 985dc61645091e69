import { type Kysely, sql } from 'kysely'

/**
 * Earlier releases write the fence but not this column; only where both are equal is the text a document's own.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ['documents', 'staged_documents'])
    await sql`alter table ${sql.table(table)} add column own_text bigint`.execute(db)
}
