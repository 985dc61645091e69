import { hashPassword } from 'better-auth/crypto'
import { AppError } from '../errors.ts'
import { recordAudit, recordInAllWorkspaces } from '../store/accounts/audit.ts'
import { deleteAllPersonalTokensOf } from '../store/accounts/keys.ts'
import {
  administersAllOf,
  findPasswordReset,
  insertPasswordReset,
  takePasswordReset,
} from '../store/accounts/password-resets.ts'
import { endSessions, hasPassword, type PersonRow, setPassword } from '../store/accounts/people.ts'
import type { Database } from '../store/database.ts'
import { hashOf, newToken } from './tokens.ts'

// Long enough to pass on by hand, since no mail is sent.
const VALID_MS = 30 * 60_000

/** The audit log's name for a person with access to the machine. */
const OPERATOR = 'operator'

export type ResetLink = { token: string; expiresAt: Date }

/** Only administrators of every workspace of the person may create a link, and not for themselves. */
export async function makeResetLinkFor(
  db: Database,
  person: PersonRow,
  administratorId: string,
): Promise<ResetLink> {
  if (person.id === administratorId)
    throw new AppError('not_possible', 'you cannot create a reset link for yourself', {
      fix: 'Change your own password under Account',
    })
  if (!(await administersAllOf(db, { administratorId, userId: person.id })))
    throw new AppError(
      'forbidden',
      `${person.name} is also a member of workspaces that you do not administer`,
      {
        fix: 'The service operator can create the link: npm run reset-password',
      },
    )
  if (!(await hasPassword(db, person.id)))
    throw new AppError(
      'not_possible',
      `${person.name} has no password and signs in through an identity provider`,
    )
  return makeResetLink(db, person, administratorId)
}

/** `madeBy` is null for the service operator. Only the response holds the token. */
export async function makeResetLink(
  db: Database,
  person: PersonRow,
  madeBy: string | null,
): Promise<ResetLink> {
  const { token, hash } = newToken()
  const expiresAt = new Date(Date.now() + VALID_MS)
  await db.transaction().execute(async (tx) => {
    await insertPasswordReset(tx, { userId: person.id, madeBy, tokenHash: hash, expiresAt })
    await recordInAllWorkspaces(tx, person.id, {
      actor: madeBy ? `person:${madeBy}` : OPERATOR,
      action: 'make_reset_link',
      subject: { member: person.email },
    })
  })
  return { token, expiresAt }
}

/** One message for every invalid link. */
export async function personOfResetLink(db: Database, token: string): Promise<PersonRow> {
  const found = await findPasswordReset(db, hashOf(token))
  if (!found || !(await isStillValid(db, { user_id: found.id, made_by: found.made_by }))) throw invalidLink()
  const { id, email, name } = found
  return { id, email, name }
}

/** Ends every session and personal token: a forgotten password may be a stolen one. */
export async function resetPassword(db: Database, token: string, password: string): Promise<PersonRow> {
  const person = await personOfResetLink(db, token)
  const passwordHash = await hashPassword(password)
  const isReset = await db.transaction().execute(async (tx) => {
    const taken = await takePasswordReset(tx, hashOf(token))
    // A concurrent demotion waits for this row, or has deleted it already.
    if (!taken || !(await isStillValid(tx, taken))) return false
    await setPassword(tx, person.id, passwordHash)
    await endSessions(tx, person.id)
    for (const { workspace_id: workspaceId, id, name } of await deleteAllPersonalTokensOf(tx, person.id))
      await recordAudit(tx, {
        workspaceId,
        actor: `person:${person.id}`,
        action: 'delete_personal_token',
        subject: { token: id, name, person: person.name },
      })
    await recordInAllWorkspaces(tx, person.id, { action: 'reset_password', subject: {} })
    return true
  })
  if (!isReset) throw invalidLink()
  return person
}

/** A link is valid only while its creator may still create it. */
async function isStillValid(
  db: Database,
  { user_id: userId, made_by: administratorId }: { user_id: string; made_by: string | null },
): Promise<boolean> {
  return administratorId === null || administersAllOf(db, { administratorId, userId })
}

function invalidLink(): AppError {
  return new AppError('not_found', 'this reset link is wrong, used or expired', {
    fix: 'Ask for a new one',
  })
}
