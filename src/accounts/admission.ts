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

/** How the hash of a set-up link comes back from the identity provider: in the state, which stays with us. */
export const SETUP_IN_STATE = 'millrace_setup'

/** What the identity provider says of somebody in this sign-in; only an address that it has verified is one. */
export type Proved = { subject: string; email: string | null; isVerified: boolean; name: string }

/** Why somebody is not let in; the sign-in page has words for each. */
export type AdmissionError = 'not_invited' | 'email_not_verified' | 'linked_to_another' | 'address_changed'

/**
 * Whom the identity provider can bring: those it has brought before, those who are here under the address that it
 * proves, those who were invited, and whoever holds the set-up link while nobody is here. Null is welcome.
 *
 * People and their accounts are made here and not by the library, in one transaction behind a lock for the address:
 * of two callbacks of one person that arrive at once, the second finds what the first made.
 */
export async function admit(db: Database, provider: string, proved: Proved): Promise<AdmissionError | null> {
  const account = { provider, subject: proved.subject }
  const address = proved.isVerified ? proved.email : null
  const canFound = await maySetUp(db)
  const known = await findPersonByAccount(db, account)
  const person = known ?? (await arrive(db, account, { address, name: proved.name, canFound }))
  if (typeof person === 'string') return person
  if (canFound) await setUpSignedIn(db, person)
  // The address of this very sign-in: one that was proved in another year may be somebody else's by now.
  if (address) await acceptAllFor(db, person, address)
  return null
}

type Arriving = { address: string | null; name: string; canFound: boolean }

async function arrive(
  db: Database,
  account: { provider: string; subject: string },
  { address, name, canFound }: Arriving,
): Promise<PersonRow | AdmissionError> {
  // An address that anybody could have entered at the provider would open the account of its owner here.
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
    // The provider gave the address to somebody else, or the same person another identity: people have to say which.
    if (here.has_account) return 'linked_to_another'
    // Whoever entered it here by hand has not shown that it is theirs.
    if (!here.email_verified) return 'address_changed'
    await insertAccount(tx, here.id, account)
    // Whoever accepted an invitation by its link need not have been whom it was for. The provider knows: once it
    // vouches for the owner of an address, what was set up before by password ends, with all that could lead back in.
    // The first person held the link that only the operator saw.
    if (!(await isFirstPerson(tx, here.id))) await revokePasswordAccess(tx, here)
    return here
  })
}

type Gate = NonNullable<NonNullable<BetterAuthOptions['user']>['validateUserInfo']>

/** The library asks before it makes or links anybody by itself. It never may: whom we admit is here by then. */
export const gate: Gate = async ({ source }) => {
  if (source.action === 'sign-in') return
  const profile = source.method === 'oauth' ? source.oauth?.profile : undefined
  const refusal = profile?.[REFUSAL]
  return { error: typeof refusal === 'string' ? refusal : 'not_invited' }
}

/** Where the profile that the library passes on to the gate says why. */
export const REFUSAL = 'millrace_refusal'

/** Only our door writes into the state, and only the hash of a token that it was shown. */
async function maySetUp(db: Database): Promise<boolean> {
  const hash = (await getOAuthState())?.[SETUP_IN_STATE]
  return typeof hash === 'string' && !(await hasMembers(db)) && isSetupLink(db, hash)
}
