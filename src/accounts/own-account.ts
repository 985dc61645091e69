import { verifyPassword } from 'better-auth/crypto'
import { AppError } from '../errors.ts'
import { recordInAllWorkspaces } from '../store/accounts/audit.ts'
import { deletePasswordReset } from '../store/accounts/password-resets.ts'
import {
  changeEmailOf,
  endSessions,
  lockEmail,
  normalizeEmail,
  passwordHashOf,
  renamePerson,
} from '../store/accounts/people.ts'
import type { Database } from '../store/database.ts'
import type { Person } from './roles.ts'

/** What somebody changes about themselves. */
export async function changeName(db: Database, person: Person, name: string): Promise<Person> {
  await renamePerson(db, person.id, name)
  await recordInAllWorkspaces(db, person.id, {
    action: 'change_name',
    subject: { from: person.name, to: name },
  })
  return { ...person, name }
}

export type EmailChange = { email: string; password: string; sessionId: string }

/**
 * Another address to sign in with. No mail is sent, so that nothing shows that it is theirs: it is kept as unproved,
 * and an identity provider that proves it for somebody else does not open this account. Sessions elsewhere end, and
 * so does a reset link that was made for whoever had the old address.
 */
export async function changeEmail(db: Database, person: Person, change: EmailChange): Promise<Person> {
  const email = normalizeEmail(change.email)
  const hash = await passwordHashOf(db, person.id)
  if (!hash) {
    throw new AppError(
      'not_possible',
      'your account has no password; your identity provider says your address',
    )
  }
  if (!(await verifyPassword({ hash, password: change.password })))
    throw wrong('password', 'this is not your password')
  if (email === normalizeEmail(person.email)) throw wrong('email', 'this is your address already')
  await db.transaction().execute(async (tx) => {
    await lockEmail(tx, email)
    if (!(await changeEmailOf(tx, person.id, email)))
      throw wrong('email', `${email} has an account here already`)
    await endSessions(tx, person.id, { except: change.sessionId })
    await deletePasswordReset(tx, person.id)
    await recordInAllWorkspaces(tx, person.id, {
      action: 'change_email',
      subject: { from: person.email, to: email },
    })
  })
  return { ...person, email }
}

function wrong(field: string, msg: string): AppError {
  return new AppError('invalid_request', msg, {
    fields: [{ loc: ['body', field], msg, type: 'value_error' }],
  })
}
