import { membershipOf, type Account as WikiAccount } from '../../src/connectors/wiki/access/accounts.ts'
import { isMember } from './oracle.ts'
import type { Account, RawWiki } from './random-wiki.ts'

/** What a search takes of a person, as the connector reads it from the account and its groups. */
export type OracleReader = { user?: string; groups: string[]; classes: string[] }

/** How the wiki describes an account; a test may describe it wrongly. */
export type Describe = (account: WikiAccount) => WikiAccount

export function readerOf(wiki: RawWiki, person: Account, describe: Describe = (same) => same): OracleReader {
  const isVisitor = person.kind === 'visitor'
  const memberOf = wiki.groups.map(({ id }) => id).filter((id) => isMember(wiki, person, id))
  const account = isVisitor ? null : describe(asWikiAccount(person))
  const { account: state, groups, classes } = membershipOf(account, memberOf)
  if (state !== 'known') return { groups, classes }
  // The client adds classes that the wiki does not prove.
  return { user: person.id, groups, classes: [...classes, ...person.classes] }
}

/** An account as the wiki describes it. */
export function asWikiAccount({ id, kind }: Account): WikiAccount {
  const type = kind === 'app' || kind === 'customer' ? kind : 'atlassian'
  const status = kind === 'deactivated' ? 'inactive' : kind === 'closed' ? 'closed' : 'active'
  const licensed = kind !== 'unlicensed' && kind !== 'customer'
  return { id, name: null, type, status, guest: kind === 'guest', licensed }
}
