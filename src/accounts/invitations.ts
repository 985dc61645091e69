import { hashPassword } from 'better-auth/crypto'
import { AppError } from '../errors.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import {
  findInvitation,
  type Invitation,
  insertInvitation,
  invitationsFor,
  takeInvitation,
} from '../store/accounts/invitations.ts'
import { addMember, isMember, organisationOfWorkspace } from '../store/accounts/members.ts'
import {
  findPerson,
  insertPerson,
  lockEmail,
  normalizeEmail,
  type PersonRow,
} from '../store/accounts/people.ts'
import type { Database } from '../store/database.ts'
import type { Role } from './roles.ts'
import { hashOf, newToken } from './tokens.ts'

const VALID_MS = 7 * 24 * 3600_000

export type NewInvitation = { workspaceId: string; email: string; role: Role; invitedBy: string }

/** Only the response holds the token. */
export async function invite(
  db: Database,
  invitation: NewInvitation,
): Promise<{ id: string; token: string; expiresAt: Date }> {
  const organisation = await organisationOfWorkspace(db, invitation.workspaceId)
  if (organisation?.tier !== 'business') {
    throw new AppError('not_possible', 'a personal account can have only one member', {
      fix: 'Change it to a business account to invite others',
    })
  }
  if (await isMember(db, invitation.workspaceId, normalizeEmail(invitation.email))) {
    throw new AppError('not_possible', `${invitation.email} is already a member of this workspace`)
  }
  const { token, hash } = newToken()
  const expiresAt = new Date(Date.now() + VALID_MS)
  const id = await insertInvitation(db, { ...invitation, tokenHash: hash, expiresAt })
  return { id, token, expiresAt }
}

/** One message for links that are wrong, used, revoked or expired. */
export async function invitationOf(db: Database, token: string): Promise<Invitation> {
  const invitation = await findInvitation(db, hashOf(token))
  if (!invitation) throw noInvitation()
  return invitation
}

/** Creates the account of an invited person; people with an account sign in first. */
export async function acceptAsNew(
  db: Database,
  invitation: Invitation,
  { name, password }: { name: string; password: string },
): Promise<PersonRow> {
  if (await findPerson(db, invitation.email)) throw signInFirst(invitation)
  const passwordHash = await hashPassword(password)
  return db.transaction().execute(async (tx) => {
    await lockEmail(tx, invitation.email)
    const person = await insertPerson(tx, { email: invitation.email, name, passwordHash })
    if (!person) throw signInFirst(invitation)
    if (!(await accept(tx, invitation, person))) throw noInvitation()
    return person
  })
}

export async function acceptSignedIn(db: Database, invitation: Invitation, person: PersonRow): Promise<void> {
  if (normalizeEmail(person.email) !== invitation.email) {
    throw new AppError('forbidden', `this invitation is for ${invitation.email}`, {
      fix: 'Sign in with that address',
    })
  }
  if (!(await db.transaction().execute((tx) => accept(tx, invitation, person)))) throw noInvitation()
}

/** The provider proved the address, so no link is needed. */
export async function acceptAllFor(db: Database, person: PersonRow, provedEmail: string): Promise<void> {
  for (const invitation of await invitationsFor(db, provedEmail)) {
    await db.transaction().execute((tx) => accept(tx, invitation, person))
  }
}

/** False if the invitation no longer exists. */
async function accept(tx: Database, { id }: Invitation, person: PersonRow): Promise<boolean> {
  const taken = await takeInvitation(tx, id)
  const organisation = taken && (await organisationOfWorkspace(tx, taken.workspace_id))
  if (!taken || !organisation) return false
  await addMember(tx, {
    organisationId: organisation.id,
    workspaceId: taken.workspace_id,
    userId: person.id,
    role: taken.role,
  })
  await recordAudit(tx, {
    workspaceId: taken.workspace_id,
    actor: `person:${person.id}`,
    action: 'accept_invitation',
    subject: { email: taken.email, role: taken.role },
  })
  return true
}

function noInvitation(): AppError {
  return new AppError('not_found', 'this invitation does not exist, was used or has expired', {
    fix: 'Ask for a new one',
  })
}

function signInFirst({ email }: Invitation): AppError {
  return new AppError('not_possible', `${email} already has an account here`, {
    fix: 'Sign in and open the link again',
  })
}
