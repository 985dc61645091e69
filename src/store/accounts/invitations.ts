import { randomUUID } from 'node:crypto'
import { type Database, inTransaction } from '../database.ts'
import { type ListPart, type ListRange, readPart } from '../keyset.ts'
import type { Role } from '../schema.ts'
import { requireRoom } from '../workspace-limits.ts'
import { normalizeEmail } from './people.ts'

export type InvitationValues = {
  workspaceId: string
  email: string
  role: Role
  tokenHash: string
  invitedBy: string
  expiresAt: Date
}

/** Replaces an earlier invitation of the address, whose link stops working. */
export async function insertInvitation(db: Database, invitation: InvitationValues): Promise<string> {
  const { workspaceId, role, tokenHash, invitedBy, expiresAt } = invitation
  const email = normalizeEmail(invitation.email)
  const fresh = {
    id: randomUUID(),
    role,
    token_hash: tokenHash,
    invited_by: invitedBy,
    expires_at: expiresAt,
  }
  return inTransaction(db, async (transaction) => {
    await transaction
      .deleteFrom('invitations')
      .where('workspace_id', '=', workspaceId)
      .where((eb) => eb.or([eb('email', '=', email), eb('expires_at', '<=', new Date())]))
      .execute()
    await requireRoom(transaction, workspaceId, 'invitations')
    const row = await transaction
      .insertInto('invitations')
      .values({ ...fresh, workspace_id: workspaceId, email })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'email']).doUpdateSet(fresh))
      .returning('id')
      .executeTakeFirstOrThrow()
    return row.id
  })
}

export type ListedInvitation = {
  id: string
  email: string
  role: Role
  expires_at: Date
  invited_by: string | null
  inviter: string | null
}

/** Only invitations that have not expired. */
export async function listInvitations(
  db: Database,
  workspaceId: string,
  range: ListRange,
): Promise<ListPart<ListedInvitation>> {
  const query = db
    .selectFrom('invitations')
    .leftJoin('auth_users', 'auth_users.id', 'invitations.invited_by')
    .select([
      'invitations.id',
      'invitations.email',
      'invitations.role',
      'invitations.expires_at',
      'invitations.invited_by',
      'auth_users.name as inviter',
    ])
    .where('invitations.workspace_id', '=', workspaceId)
    .where('invitations.expires_at', '>', new Date())
  return readPart(query, LIST_ORDER, range)
}

const LIST_ORDER = { at: 'invitations.created_at', id: 'invitations.id', direction: 'asc' } as const

/** Returns the invited address. */
export async function deleteInvitation(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<string | undefined> {
  const row = await db
    .deleteFrom('invitations')
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .returning('email')
    .executeTakeFirst()
  return row?.email
}

/** Deletes all open invitations that a person sent. */
export async function deleteInvitationsBy(
  db: Database,
  inviterId: string,
): Promise<{ email: string; workspace_id: string }[]> {
  return db
    .deleteFrom('invitations')
    .where('invited_by', '=', inviterId)
    .returning(['email', 'workspace_id'])
    .execute()
}

export type Invitation = { id: string; workspace_id: string; email: string; role: Role }

export async function findInvitation(db: Database, tokenHash: string): Promise<Invitation | undefined> {
  return open(db).where('token_hash', '=', tokenHash).executeTakeFirst()
}

export async function invitationsFor(db: Database, email: string): Promise<Invitation[]> {
  return open(db).where('email', '=', normalizeEmail(email)).execute()
}

function open(db: Database) {
  return db
    .selectFrom('invitations')
    .select(['id', 'workspace_id', 'email', 'role'])
    .where('expires_at', '>', new Date())
}

/** Deletes it on acceptance: of two simultaneous requests, one succeeds. */
export async function takeInvitation(db: Database, id: string): Promise<Invitation | undefined> {
  return db
    .deleteFrom('invitations')
    .where('id', '=', id)
    .where('expires_at', '>', new Date())
    .returning(['id', 'workspace_id', 'email', 'role'])
    .executeTakeFirst()
}
