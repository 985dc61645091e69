import { hashPassword } from 'better-auth/crypto'
import { AppError } from '../errors.ts'
import { recordInAllWorkspaces } from '../store/audit.ts'
import type { Database } from '../store/database.ts'
import {
  answersForAllOf,
  findPasswordReset,
  insertPasswordReset,
  takePasswordReset,
} from '../store/password-resets.ts'
import { endSessions, hasPassword, type PersonRow, setPassword } from '../store/people.ts'
import { hashOf, newToken } from './tokens.ts'

// Long enough to be passed on by hand, since no mail is sent.
const VALID_MS = 30 * 60_000

/** How the audit log names whoever has the machine itself. */
export const OPERATOR = 'operator'

export type ResetLink = { token: string; expiresAt: Date }

/** By somebody who answers for everything that the person can reach, and who is somebody else. */
export async function makeResetLinkFor(
  db: Database,
  person: PersonRow,
  administratorId: string,
): Promise<ResetLink> {
  if (person.id === administratorId)
    throw new AppError('not_possible', 'a reset link is for somebody else', {
      fix: 'Change your own password under Account',
    })
  if (!(await answersForAllOf(db, { administratorId, userId: person.id })))
    throw new AppError('forbidden', `${person.name} also belongs to what you do not administer`, {
      fix: 'Whoever runs the service can make the link: npm run reset-password',
    })
  if (!(await hasPassword(db, person.id)))
    throw new AppError(
      'not_possible',
      `${person.name} has no password and signs in through an identity provider`,
    )
  return makeResetLink(db, person, `person:${administratorId}`)
}

/** The token is in no other place than the answer. */
export async function makeResetLink(
  db: Database,
  person: PersonRow,
  actor: `person:${string}` | typeof OPERATOR,
): Promise<ResetLink> {
  const { token, hash } = newToken()
  const expiresAt = new Date(Date.now() + VALID_MS)
  await db.transaction().execute(async (tx) => {
    await insertPasswordReset(tx, { userId: person.id, tokenHash: hash, expiresAt })
    await recordInAllWorkspaces(tx, person.id, {
      actor,
      action: 'make_reset_link',
      subject: { member: person.email },
    })
  })
  return { token, expiresAt }
}

/** One message for a link that is wrong, was used, was replaced or has expired. */
export async function resetOf(db: Database, token: string): Promise<PersonRow> {
  const person = await findPasswordReset(db, hashOf(token))
  if (!person) throw noReset()
  return person
}

/** Whoever forgot their password may have lost more than that: every session ends. */
export async function resetPassword(db: Database, token: string, password: string): Promise<PersonRow> {
  const person = await resetOf(db, token)
  const passwordHash = await hashPassword(password)
  await db.transaction().execute(async (tx) => {
    if (!(await takePasswordReset(tx, hashOf(token)))) throw noReset()
    await setPassword(tx, person.id, passwordHash)
    await endSessions(tx, person.id)
    await recordInAllWorkspaces(tx, person.id, { action: 'reset_password', subject: {} })
  })
  return person
}

function noReset(): AppError {
  return new AppError('not_found', 'this reset link is wrong, was used or has expired', {
    fix: 'Ask for a new one',
  })
}
