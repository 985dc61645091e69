import type { BetterAuthOptions } from 'better-auth'
import { getOAuthState } from 'better-auth/api'
import { invitationsFor } from '../store/accounts/invitations.ts'
import { hasMembers } from '../store/accounts/members.ts'
import {
  findPersonByAccount,
  findPersonToLink,
  insertAccount,
  insertPerson,
  isFirstPerson,
  lockEmail,
  type PersonRow,
} from '../store/accounts/people.ts'
import { isSetupLink } from '../store/accounts/setup.ts'
import type { Database } from '../store/database.ts'
import { acceptAllFor } from './invitations.ts'
import { revokePasswordAccess } from './revoke-password-access.ts'
import { setUpSignedIn } from './setup.ts'

/** The key of the set-up link's hash in the OAuth state. */
export const SETUP_IN_STATE = 'millrace_setup'

/** The identity provider's claims in this sign-in; only a verified address counts. */
export type Proved = { subject: string; email: string | null; isVerified: boolean; name: string }

/** Why a sign-in is refused; the sign-in page has a text for each. */
export type AdmissionError = 'not_invited' | 'email_not_verified' | 'linked_to_another' | 'address_changed'

/**
 * Admits known, invited and newly linked people, and the holder of the set-up link. Null means admitted.
 *
 * A lock on the address makes a simultaneous second callback find the first one's person.
 */
export async function admit(db: Database, provider: string, proved: Proved): Promise<AdmissionError | null> {
  const account = { provider, subject: proved.subject }
  const address = proved.isVerified ? proved.email : null
  const canFound = await maySetUp(db)
  const known = await findPersonByAccount(db, account)
  const person = known ?? (await arrive(db, account, { address, name: proved.name, canFound }))
  if (typeof person === 'string') return person
  if (canFound) await setUpSignedIn(db, person)
  // Only this sign-in's address: an older one may have a new owner.
  if (address) await acceptAllFor(db, person, address)
  return null
}

type Arriving = { address: string | null; name: string; canFound: boolean }

async function arrive(
  db: Database,
  account: { provider: string; subject: string },
  { address, name, canFound }: Arriving,
): Promise<PersonRow | AdmissionError> {
  // An unverified address would open the account of its real owner.
  if (!address) return 'email_not_verified'
  return db.transaction().execute(async (tx) => {
    await lockEmail(tx, address)
    const meanwhile = await findPersonByAccount(tx, account)
    if (meanwhile) return meanwhile
    const here = await findPersonToLink(tx, address, account.provider)
    if (!here) {
      if (!canFound && (await invitationsFor(tx, address)).length === 0) return 'not_invited'
      const made = await insertPerson(tx, { email: address, name, account })
      return made ?? 'not_invited'
    }
    // The address may have a new owner; an administrator has to decide.
    if (here.has_account) return 'linked_to_another'
    // An address entered by hand proves nothing.
    if (!here.email_verified) return 'address_changed'
    await insertAccount(tx, here.id, account)
    // An invitation link may have reached the wrong person, so password access ends. The first person is
    // exempt: only the operator saw the set-up link.
    if (!(await isFirstPerson(tx, here.id))) await revokePasswordAccess(tx, here)
    return here
  })
}

type Gate = NonNullable<NonNullable<BetterAuthOptions['user']>['validateUserInfo']>

/** Always refuses: `admitPerson` has created and linked people by then. */
export const gate: Gate = async ({ source }) => {
  if (source.action === 'sign-in') return
  const profile = source.method === 'oauth' ? source.oauth?.profile : undefined
  const refusal = profile?.[REFUSAL]
  return { error: typeof refusal === 'string' ? refusal : 'not_invited' }
}

/** The key in the library's profile that holds the reason of a refusal. */
export const REFUSAL = 'millrace_refusal'

/** Only the sign-in route writes the hash. */
async function maySetUp(db: Database): Promise<boolean> {
  const hash = (await getOAuthState())?.[SETUP_IN_STATE]
  return typeof hash === 'string' && !(await hasMembers(db)) && isSetupLink(db, hash)
}
