import { BARE, personTokens } from '../../access.ts'
import { peopleOf } from '../../connectors/capabilities.ts'
import type { Source } from '../../connectors/connector.ts'
import type { AuditReader } from './granting.ts'

/** First letters of names; the source answers with the first few for each. */
const BEGINNINGS = ['', ...'abcdefghijklmnopqrstuvwxyz']

/** People whom the source finds by name. People named in the index come in addition. */
export async function listPeople(source: Source, signal: AbortSignal): Promise<Set<string>> {
  const found = new Set<string>()
  for (const beginning of BEGINNINGS)
    for (const { id } of await peopleOf(source).find(beginning, signal)) found.add(id)
  return found
}

/** The only place where the audit turns a person into entries of the index. */
export async function auditReaderOf(source: Source, user: string, signal: AbortSignal): Promise<AuditReader> {
  const { naming } = await source.site(signal)
  const { account, groups, classes } = await peopleOf(source).groupsOf(user, signal)
  // Inactive and unknown accounts have nothing from grants to their own id.
  const person = { ...(account === 'known' ? { user } : {}), groups, classes }
  // The old form too, as long as documents of this site may carry it.
  const tokens = new Set([...personTokens(person, naming), ...personTokens(person, BARE)])
  return { ...person, id: user, tokens: [...tokens] }
}
