import { type Kysely, sql } from 'kysely'

/** Whether a document's elements hold its own text only. Earlier releases may have taken other pages' text along. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ['documents', 'staged_documents'])
    await sql`alter table ${sql.table(table)} add column own_text boolean not null default false`.execute(db)
}
