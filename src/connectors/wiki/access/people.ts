import type { WikiClient } from '../client.ts'
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
