import { type AnyOf, anyOf } from '../../../permissions/principals.ts'
import { isCompleteList } from '../is-complete-list.ts'
import type { AccountResponse, RestrictionsResponse } from '../responses.ts'
import { type Account, toAccount } from './accounts.ts'
import type { Restriction } from './permissions.ts'

/** A page's own restrictions; `complete` is false if the lists continue elsewhere. */
export type ParsedRestrictions = { restriction: Restriction; accounts: Account[]; complete: boolean }

/** Null if a list is missing; an empty list instead would leave the page unrestricted. */
export function parseRestrictions(
  response: RestrictionsResponse | null | undefined,
): ParsedRestrictions | null {
  const read = response?.read?.restrictions
  const update = response?.update?.restrictions
  if (!read?.user || !read.group || !update?.user || !update.group) return null
  const lists = [read.user, read.group, update.user, update.group]
  return {
    restriction: {
      read: restrictedTo(read.user.results, read.group.results),
      update: restrictedTo(update.user.results, update.group.results),
    },
    accounts: [...read.user.results, ...update.user.results].flatMap(toAccount),
    complete: lists.every(isCompleteList),
  }
}

export function restrictedTo(users: AccountResponse[], groups: { id?: string | null }[]): AnyOf | null {
  if (users.length === 0 && groups.length === 0) return null
  // A deleted group or account may lack its id; it still restricts.
  return anyOf(
    users.flatMap(({ accountId }) => (accountId ? [accountId] : [])),
    groups.flatMap(({ id }) => (id ? [id] : [])),
  )
}
