import type { Selectable } from 'kysely'
import type { Database } from '../database.ts'
import type { Schema } from '../schema.ts'

export type IdentitySettings = Omit<Selectable<Schema['identity_settings']>, 'workspace_id' | 'updated_at'>

const COLUMNS = ['issuer', 'audience', 'jwks_url', 'claim', 'mapping', 'trust_email'] as const

export async function readIdentitySettings(
  db: Database,
  workspaceId: string,
): Promise<IdentitySettings | undefined> {
  return db
    .selectFrom('identity_settings')
    .select(COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
}

export async function storeIdentitySettings(
  db: Database,
  workspaceId: string,
  settings: IdentitySettings,
): Promise<void> {
  await db
    .insertInto('identity_settings')
    .values({ workspace_id: workspaceId, ...settings })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet({ ...settings, updated_at: new Date() }),
    )
    .execute()
}

/** False if there were none. */
export async function deleteIdentitySettings(db: Database, workspaceId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identity_settings')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
