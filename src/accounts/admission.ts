import type { BetterAuthOptions } from 'better-auth'
import { getOAuthState } from 'better-auth/api'
import type { Database } from '../store/database.ts'
import { invitationsFor } from '../store/invitations.ts'
import { hasMembers } from '../store/members.ts'
import { forgetPassword, isFirstPerson, readPerson } from '../store/people.ts'
import { isSetupLink } from '../store/setup.ts'
import { acceptAllFor } from './invitations.ts'
import { setUpSignedIn } from './setup.ts'

/** How the hash of a set-up link comes back from the identity provider: in the state, which stays with us. */
export const SETUP_IN_STATE = 'millrace_setup'

type Gate = NonNullable<NonNullable<BetterAuthOptions['user']>['validateUserInfo']>
type Hooks = NonNullable<BetterAuthOptions['databaseHooks']>

/**
 * Whom the identity provider can bring: those who are here, those who were invited, and whoever holds the set-up
 * link while nobody is here. Any other address is refused, however well the provider knows it.
 */
export function gate(db: Database): Gate {
  return async ({ user, source }) => {
    if (source.action === 'sign-in') return
    if (source.method !== 'oauth' || !user.email) return { error: 'not_invited' }
    // An address that anybody could have entered at the provider would open the account of its owner here.
    if (user.emailVerified !== true) return { error: 'email_not_verified' }
    if (source.action === 'link-account') return
    const invited = (await invitationsFor(db, user.email)).length > 0
    if (!invited && !(await maySetUp(db))) return { error: 'not_invited' }
  }
}

/** Somebody is here once they have a session; what they were invited to is theirs from then on. */
export function welcome(db: Database): Hooks {
  return {
    account: {
      create: {
        // Whoever accepted an invitation by its link need not have been whom it was for. The provider knows: once it
        // vouches for the owner of an address, what was set up before by password ends. The first person held the
        // link that only the operator saw.
        async before(account) {
          if (account.providerId === 'credential' || (await isFirstPerson(db, account.userId))) return
          await forgetPassword(db, account.userId)
        },
      },
    },
    session: {
      create: {
        async before(session) {
          if (!(await getOAuthState())) return
          const person = await readPerson(db, session.userId)
          if (!person) return
          if (await maySetUp(db)) await setUpSignedIn(db, person)
          await acceptAllFor(db, person)
        },
      },
    },
  }
}

/** Only our door writes into the state, and only the hash of a token that it was shown. */
async function maySetUp(db: Database): Promise<boolean> {
  const hash = (await getOAuthState())?.[SETUP_IN_STATE]
  return typeof hash === 'string' && !(await hasMembers(db)) && isSetupLink(db, hash)
}
