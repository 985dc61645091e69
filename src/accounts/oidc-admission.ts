import type { BetterAuthOptions } from 'better-auth'
import { getOAuthState } from 'better-auth/api'
import { recordAudit } from '../store/accounts/audit.ts'
import { invitationsFor } from '../store/accounts/invitations.ts'
import { addMember, hasMembers } from '../store/accounts/members.ts'
import {
  findPersonByAccount,
  findPersonToLink,
  insertAccount,
  insertPerson,
  isFirstPerson,
  lockEmail,
  normalizeEmail,
  type PersonRow,
  setEmailVerified,
} from '../store/accounts/people.ts'
import { isSetupLink } from '../store/accounts/setup.ts'
import { workspacesForReaders } from '../store/accounts/workspaces.ts'
import type { Database } from '../store/database.ts'
import { acceptAllFor } from './invitations.ts'
import { revokePasswordAccess } from './revoke-password-access.ts'
import { setUpSignedIn } from './setup.ts'

/** The name under which the OAuth state stores the hash of the set-up link. */
export const SETUP_STATE_KEY = 'millrace_setup'

/** The identity provider's claims in this sign-in; only a verified address counts. */
export type ProviderClaims = { subject: string; email: string | null; isVerified: boolean; name: string }

/** Why a sign-in is refused; the sign-in page explains each. */
export type AdmissionError = 'not_invited' | 'email_not_verified' | 'linked_to_another' | 'address_changed'

/**
 * Admits people who are known, invited or have the set-up link; null means admitted. Holds a lock, so that
 * simultaneous callbacks create one person.
 */
export async function admitPerson(
  db: Database,
  provider: string,
  claims: ProviderClaims,
): Promise<AdmissionError | null> {
  const account = { provider, subject: claims.subject }
  const address = claims.isVerified ? claims.email : null
  const isSetup = await maySetUp(db)
  const existing = await findPersonByAccount(db, account)
  const person = existing ?? (await linkOrCreate(db, account, { address, name: claims.name, isSetup }))
  if (typeof person === 'string') return person
  if (existing) await proveAddress(db, existing, claims)
  if (isSetup) await setUpSignedIn(db, person)
  // Only the address of this sign-in: an older one may have a new owner.
  if (address) await acceptAllFor(db, person, address)
  return null
}

/** A person whose address at the provider has changed may no longer own the stored one. */
async function proveAddress(db: Database, person: PersonRow, claims: ProviderClaims): Promise<void> {
  if (claims.email === null) return
  const isOwn = normalizeEmail(claims.email) === normalizeEmail(person.email)
  await setEmailVerified(db, person, claims.isVerified && isOwn)
}

type NewPerson = { address: string | null; name: string; isSetup: boolean }

async function linkOrCreate(
  db: Database,
  account: { provider: string; subject: string },
  { address, name, isSetup }: NewPerson,
): Promise<PersonRow | AdmissionError> {
  // An unverified address would open the account of its real owner.
  if (!address) return 'email_not_verified'
  return db.transaction().execute(async (tx) => {
    await lockEmail(tx, address)
    const existing = await findPersonByAccount(tx, account)
    if (existing) return existing
    const person = await findPersonToLink(tx, address, account.provider)
    if (!person) {
      const isInvited = isSetup || (await invitationsFor(tx, address)).length > 0
      const open = isInvited ? [] : await workspacesForReaders(tx)
      if (!isInvited && open.length === 0) return 'not_invited'
      const created = await insertPerson(tx, { email: address, name, account })
      if (!created) return 'not_invited'
      for (const workspace of open) await joinAsReader(tx, workspace, created)
      return created
    }
    // The address may have a new owner; an administrator has to decide.
    if (person.has_account) return 'linked_to_another'
    // An address entered by hand proves nothing.
    if (!person.email_verified) return 'address_changed'
    await insertAccount(tx, person.id, account)
    // An invitation link may have reached the wrong person. Only the service operator saw the first person's set-up
    // link.
    if (!(await isFirstPerson(tx, person.id))) await revokePasswordAccess(tx, person)
    return person
  })
}

/** Only with a new account: a removed member does not come back by signing in. */
async function joinAsReader(
  tx: Database,
  workspace: { workspaceId: string; organisationId: string },
  { id, email }: PersonRow,
): Promise<void> {
  await addMember(tx, { ...workspace, userId: id, role: 'reader' })
  await recordAudit(tx, {
    workspaceId: workspace.workspaceId,
    actor: `person:${id}`,
    action: 'join_as_reader',
    subject: { email },
  })
}

type ValidateUserInfo = NonNullable<NonNullable<BetterAuthOptions['user']>['validateUserInfo']>

/** Always refuses: `admitPerson` has created and linked people by then. */
export const refuseNewUsers: ValidateUserInfo = async ({ source }) => {
  if (source.action === 'sign-in') return
  const profile = source.method === 'oauth' ? source.oauth?.profile : undefined
  const refusal = profile?.[REFUSAL_KEY]
  return { error: typeof refusal === 'string' ? refusal : 'not_invited' }
}

/** The profile key of a refusal's reason. */
export const REFUSAL_KEY = 'millrace_refusal'

/** Only the sign-in route writes the hash. */
async function maySetUp(db: Database): Promise<boolean> {
  const hash = (await getOAuthState())?.[SETUP_STATE_KEY]
  return typeof hash === 'string' && !(await hasMembers(db)) && isSetupLink(db, hash)
}
