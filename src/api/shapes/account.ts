import { z } from 'zod'
import { PASSWORD_LENGTH } from '../../accounts/password-length.ts'
import { type Person, ROLES } from '../../accounts/roles.ts'
import { organisationOf, workspacesOf } from '../../store/accounts/members.ts'
import type { Database } from '../../store/database.ts'
import { NOT_BLANK } from './rules.ts'

export const roleShape = z.enum(ROLES)
export const workspaceShape = z.object({
  id: z.string(),
  name: z.string(),
  role: roleShape,
  /** Whether people who sign in with the identity provider join as readers. */
  admits_readers: z.boolean(),
})

export const sessionShape = z.object({
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }),
  tier: z.enum(['personal', 'business']),
  organisation: z.object({ id: z.string(), name: z.string() }).nullable(),
  is_organisation_administrator: z.boolean(),
  workspaces: z.array(workspaceShape),
})

/** A person without memberships has no workspaces. */
export async function sessionOf(db: Database, person: Person): Promise<z.infer<typeof sessionShape>> {
  const [organisation, workspaces] = await Promise.all([
    organisationOf(db, person.id),
    workspacesOf(db, person.id),
  ])
  return {
    user: { id: person.id, email: person.email, name: person.name },
    tier: organisation?.tier ?? 'personal',
    organisation: organisation?.name ? { id: organisation.id, name: organisation.name } : null,
    is_organisation_administrator: organisation?.is_administrator ?? false,
    workspaces,
  }
}

const nonEmptyName = (what: string) =>
  z.string().trim().min(1, `${what} is needed`).max(255, 'at most 255 characters').meta(NOT_BLANK)
export const nameField = nonEmptyName('a name')
export const organisationField = nonEmptyName('the name of the organisation')
export const emailField = z
  .email('email should be an e-mail address')
  .max(320)
  // The longest local part that mail servers have to accept.
  .refine((email) => email.indexOf('@') <= 64, 'at most 64 characters before the @')
export const passwordField = z
  .string()
  .min(PASSWORD_LENGTH.min, `a password should have at least ${PASSWORD_LENGTH.min} characters`)
  .max(PASSWORD_LENGTH.max, `a password should have at most ${PASSWORD_LENGTH.max} characters`)
/** Only the size is checked: an older password may not fit today's rules. */
export const givenPasswordField = z
  .string()
  .min(1, 'a password is needed')
  .max(1024, 'at most 1024 characters')
