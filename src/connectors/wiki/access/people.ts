import type { PrincipalLists, PrincipalNames } from '../../source.ts'
import type { WikiClient } from '../client.ts'
import { userKey } from '../content/mentions.ts'
import { isInactive } from './accounts.ts'

/** As many as fit on a screen. */
export const PEOPLE_SHOWN = 20

/** Finds active people by the start of a name, or by id. */
export async function findWikiPeople(
  client: WikiClient,
  text: string,
  signal: AbortSignal,
): Promise<{ id: string; name: string | null }[]> {
  const found = await client.find(text, signal)
  const known = found.length === 0 && text ? await client.account(text, signal) : null
  return [...found, ...(known ? [known] : [])]
    .filter((account) => ['atlassian', 'unknown'].includes(account.type) && !isInactive(account))
    .map(({ id, name }) => ({ id, name }))
    .slice(0, PEOPLE_SHOWN)
}

/** Display names of people and groups. */
export async function wikiNames(
  client: WikiClient,
  { users, groups, cloud }: PrincipalLists & { cloud: boolean },
  signal: AbortSignal,
): Promise<PrincipalNames> {
  const refs = users.map((id) => ({ by: cloud ? ('account' as const) : ('key' as const), id }))
  const [found, groupNames] = await Promise.all([
    refs.length > 0 ? client.displayNames(refs, signal) : new Map<string, string | null>(),
    client.groupNames(groups, signal),
  ])
  const names = new Map<string, string>()
  for (const ref of refs) {
    const name = found.get(userKey(ref))
    if (name) names.set(ref.id, name)
  }
  return { users: names, groups: groupNames }
}
