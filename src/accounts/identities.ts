import { type IdentityValue, matchAccounts, verifiedEmailOf } from '../store/accounts/identities.ts'
import { normalizeEmail } from '../store/accounts/people.ts'
import type { Database } from '../store/database.ts'

/** Source id → account; null where the person has none. */
export type AccountsBySource = Map<string, string | null>

/** The accounts of a member: linked ones first, then those with the member's verified address. */
export async function accountsOfMember(
  db: Database,
  { workspaceId, userId }: { workspaceId: string; userId: string },
  sourceIds: string[],
): Promise<AccountsBySource> {
  const linked = await matchAccounts(db, { workspaceId, kind: 'member', value: userId }, sourceIds)
  const unlinked = sourceIds.filter((id) => !linked.get(id))
  const email = unlinked.length > 0 ? await verifiedEmailOf(db, userId) : null
  if (email === null) return linked
  const byEmail = await matchAccounts(db, { workspaceId, ...emailIdentity(email) }, unlinked)
  return new Map([...linked, ...byEmail])
}

/** Case and outer spaces do not count; `+tag` does, because it may be another mailbox. */
export function emailIdentity(email: string): IdentityValue & { kind: 'email' } {
  return { kind: 'email', value: normalizeEmail(email) }
}
