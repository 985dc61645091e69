import { peopleOf } from '../../connectors/capabilities.ts'
import type { Source } from '../../connectors/source.ts'
import { personTokens } from '../../permissions/principals.ts'
import type { AuditReader } from './granting.ts'

/** First letters of names; each finds the first few people. */
const NAME_PREFIXES = ['', ...'abcdefghijklmnopqrstuvwxyz']

/** People that the source finds by name. */
export async function listPeople(source: Source, signal: AbortSignal): Promise<Set<string>> {
  const found = new Set<string>()
  for (const prefix of NAME_PREFIXES)
    for (const { id } of await peopleOf(source).find(prefix, signal)) found.add(id)
  return found
}

/** The only code of the audit that creates tokens of a person. */
export async function readAuditReader(
  source: Source,
  user: string,
  signal: AbortSignal,
): Promise<AuditReader> {
  const { naming } = await source.site(signal)
  const { account, groups, classes } = await peopleOf(source).groupsOf(user, signal)
  // Grants to an inactive, unlicensed or unknown account do not count.
  const person = { ...(account === 'known' ? { user } : {}), groups, classes }
  return { ...person, id: user, tokens: personTokens(person, naming) }
}
