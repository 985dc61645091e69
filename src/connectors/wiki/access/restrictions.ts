import { type AnyOf, anyOf } from '../../../access.ts'
import type { AccountAnswer, RestrictionsAnswer } from '../answers.ts'
import { isCompleteList } from '../listing/is-complete-list.ts'
import { type Account, toAccount } from './accounts.ts'
import type { Restriction } from './permissions.ts'

/** What an answer says of a page's own restrictions; `whole` is false where its lists go on elsewhere. */
export type ParsedRestrictions = { restriction: Restriction; accounts: Account[]; whole: boolean }

/**
 * Null where the answer does not say, which is not the same as "not restricted": an expansion that was left out
 * must not open a page.
 */
export function parseRestrictions(answer: RestrictionsAnswer | null | undefined): ParsedRestrictions | null {
  const read = answer?.read?.restrictions
  const update = answer?.update?.restrictions
  if (!read?.user || !read.group || !update?.user || !update.group) return null
  const lists = [read.user, read.group, update.user, update.group]
  return {
    restriction: {
      read: restrictedTo(read.user.results, read.group.results),
      update: restrictedTo(update.user.results, update.group.results),
    },
    accounts: [...read.user.results, ...update.user.results].flatMap(toAccount),
    whole: lists.every(isCompleteList),
  }
}

/** The principals of one operation, gathered over several answers. */
export function restrictedTo(users: AccountAnswer[], groups: { id?: string | null }[]): AnyOf | null {
  if (users.length === 0 && groups.length === 0) return null
  // A deleted group or account may have lost its id. It still restricts, and lets nobody pass.
  return anyOf(
    users.flatMap(({ accountId }) => (accountId ? [accountId] : [])),
    groups.flatMap(({ id }) => (id ? [id] : [])),
  )
}
