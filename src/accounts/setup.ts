import { hashPassword } from 'better-auth/crypto'
import { recordAudit } from '../store/accounts/audit.ts'
import { hasMembers } from '../store/accounts/members.ts'
import { insertPerson, type PersonRow } from '../store/accounts/people.ts'
import {
  createOrganisation,
  insertSetupLink,
  isSetupLink,
  type NewOrganisation,
} from '../store/accounts/setup.ts'
import type { Database } from '../store/database.ts'
import { hashOf, newToken } from './tokens.ts'

const LINK_MS = 30 * 60_000

/** A token for the set-up link, or null once the installation has members. */
export async function makeSetupToken(db: Database): Promise<string | null> {
  if (await hasMembers(db)) return null
  const { token, hash } = newToken()
  await insertSetupLink(db, hash, new Date(Date.now() + LINK_MS))
  return token
}

export type FirstPerson = { email: string; name: string; password: string } & NewOrganisation

/** Undefined for a token that is wrong, used or expired. */
export async function setUpByLink(
  db: Database,
  token: string,
  first: FirstPerson,
): Promise<PersonRow | undefined> {
  if (!(await isSetupLink(db, hashOf(token)))) return undefined
  return setUpFirst(db, first)
}

/** The first account of an unattended set-up, unless members exist. */
export async function setUpUnattended(
  db: Database,
  { email, password }: { email: string; password: string },
): Promise<void> {
  if (await hasMembers(db)) return
  const name = email.split('@')[0] ?? email
  await setUpFirst(db, { email, name, password, tier: 'personal', organisation: null })
}

async function setUpFirst(db: Database, first: FirstPerson): Promise<PersonRow | undefined> {
  const passwordHash = await hashPassword(first.password)
  const created = await createOrganisation(db, first, (tx) => insertPerson(tx, { ...first, passwordHash }))
  if (created) await recordSetup(db, created, first)
  return created?.person
}

/** Sets up the first person after a provider sign-in with the set-up link. */
export async function setUpSignedIn(db: Database, person: PersonRow): Promise<void> {
  const settings: NewOrganisation = { tier: 'personal', organisation: null }
  const created = await createOrganisation(db, settings, async () => person)
  if (created) await recordSetup(db, created, settings)
}

function recordSetup(
  db: Database,
  { person, workspaceId }: { person: PersonRow; workspaceId: string },
  { tier, organisation }: NewOrganisation,
): Promise<void> {
  return recordAudit(db, {
    workspaceId,
    actor: `person:${person.id}`,
    action: 'set_up',
    subject: { email: person.email, tier, ...(organisation ? { organisation } : {}) },
  })
}
