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

export async function changeName(db: Database, person: Person, name: string): Promise<Person> {
  await renamePerson(db, person.id, name)
  await recordInAllWorkspaces(db, person.id, {
    action: 'change_name',
    subject: { from: person.name, to: name },
  })
  return { ...person, name }
}

export type EmailChange = { email: string; password: string; sessionId: string }

/** The new address stays unverified, since no mail is sent. Other sessions and reset links end. */
export async function changeEmail(db: Database, person: Person, change: EmailChange): Promise<Person> {
  const email = normalizeEmail(change.email)
  const hash = await passwordHashOf(db, person.id)
  if (!hash) {
    throw new AppError(
      'not_possible',
      'your account has no password; your identity provider sets your address',
    )
  }
  if (!(await verifyPassword({ hash, password: change.password })))
    throw invalidField('password', 'this is not your password')
  if (email === normalizeEmail(person.email)) throw invalidField('email', 'this is already your address')
  await db.transaction().execute(async (tx) => {
    await lockEmail(tx, email)
    if (!(await changeEmailOf(tx, person.id, email)))
      throw invalidField('email', `${email} already has an account here`)
    await endSessions(tx, person.id, { except: change.sessionId })
    await deletePasswordReset(tx, person.id)
    await recordInAllWorkspaces(tx, person.id, {
      action: 'change_email',
      subject: { from: person.email, to: email },
    })
  })
  return { ...person, email }
}

function invalidField(field: string, msg: string): AppError {
  return new AppError('invalid_request', msg, {
    fields: [{ loc: ['body', field], msg, type: 'value_error' }],
  })
}
