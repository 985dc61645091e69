import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Tier } from '../schema.ts'
import { hasMembers } from './members.ts'
import { firstWorkspace } from './workspaces.ts'

export async function insertSetupLink(db: Database, tokenHash: string, expiresAt: Date): Promise<void> {
  await db.insertInto('setup_links').values({ token_hash: tokenHash, expires_at: expiresAt }).execute()
}

export async function isSetupLink(db: Database, tokenHash: string): Promise<boolean> {
  const row = await db
    .selectFrom('setup_links')
    .select('token_hash')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', new Date())
    .executeTakeFirst()
  return row !== undefined
}

export type NewOrganisation = { tier: Tier; organisation: string | null }

/** Gives the first workspace to the first person; undefined if set up already. */
export async function createOrganisation<P extends { id: string }>(
  db: Database,
  { tier, organisation }: NewOrganisation,
  createPerson: (tx: Database) => Promise<P | undefined>,
): Promise<{ person: P; workspaceId: string } | undefined> {
  return db.transaction().execute(async (tx) => {
    await sql`lock table workspaces in exclusive mode`.execute(tx)
    const workspace = await firstWorkspace(tx)
    if (!workspace || (await hasMembers(tx))) return undefined
    const person = await createPerson(tx)
    if (!person) return undefined
    const id = randomUUID()
    await tx.insertInto('organisations').values({ id, tier, name: organisation }).execute()
    await tx
      .insertInto('organisation_members')
      .values({ organisation_id: id, user_id: person.id, is_administrator: true })
      .execute()
    await tx
      .updateTable('workspaces')
      .set({ organisation_id: id })
      .where('organisation_id', 'is', null)
      .execute()
    await tx
      .insertInto('workspace_members')
      .values({ workspace_id: workspace.id, user_id: person.id, role: 'administrator' })
      .execute()
    await tx.deleteFrom('setup_links').execute()
    return { person, workspaceId: workspace.id }
  })
}

/** Changes personal to business; false if it is business already. */
export async function upgradeToBusiness(
  db: Database,
  organisationId: string,
  name: string,
): Promise<boolean> {
  const row = await db
    .updateTable('organisations')
    .set({ tier: 'business', name })
    .where('id', '=', organisationId)
    .where('tier', '=', 'personal')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
