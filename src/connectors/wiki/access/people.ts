import type { WikiClient } from '../client.ts'
import { isInactive } from './accounts.ts'

/** Somebody picks one of them; more than fit on a screen help nobody. */
export const PEOPLE_SHOWN = 20

/** People by the beginning of their name, or the one whose id it is, without apps, customers and inactive accounts. */
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
