import type { ClusterCall, SearchClient } from '../client.ts'
import { failureOf, ofFailure } from '../translate.ts'
import { type ClusterError, NoResponse } from '../transport.ts'
import { type Located, pathOf } from './locate.ts'

/** What an element was written as. */
export type ElementSource = { metadata?: Record<string, unknown> } & Record<string, unknown>

/** Those of the ids that are in the index, or `TOO_LONG` where they are more than one answer may hold. */
export type ReadElements = (
  ids: string[],
  located: Located,
  signal: AbortSignal,
) => Promise<Map<string, ElementSource> | typeof TOO_LONG>

export const TOO_LONG = Symbol('too long')

type Document = { _id: string; _source?: ElementSource; error?: { type?: string; reason?: string } }
type Found = { docs: Document[] }

const DOING = 'reading elements of'

/** By id, and so as they were last written: a search would not see the writes of the last second. */
export function createReadElements(client: SearchClient): ReadElements {
  let knowsParameters = true

  return async (ids, { readFrom, engine }, signal) => {
    const request = (query: Record<string, string>): ClusterCall<Found | typeof TOO_LONG | null> => ({
      method: 'POST',
      path: `${pathOf(readFrom)}/_mget`,
      query,
      body: { ids },
      settles: (failure) => {
        if (failure instanceof NoResponse) return failure.why === 'too long' ? TOO_LONG : undefined
        return isUnknownParameter(failure, query) ? null : undefined
      },
    })
    const asked = knowsParameters ? await client.call(DOING, request(engine.wholeSource), signal) : null
    const found = asked ?? (await client.call(DOING, request({}), signal))
    if (asked === null) knowsParameters = false
    return found === TOO_LONG || found === null ? TOO_LONG : sources(found, client)
  }
}

/**
 * Any other refusal is no reason to do without it: a newer cluster would answer without vectors, and what is then
 * written again would have lost them.
 */
function isUnknownParameter(refusal: ClusterError, query: Record<string, string>): boolean {
  const { reason } = failureOf(refusal)
  return refusal.status === 400 && Object.keys(query).some((name) => reason.includes(name))
}

/** One that could not be read, of a shard that is away, is not one that is missing. */
function sources({ docs }: Found, { place }: SearchClient): Map<string, ElementSource> {
  const found = new Map<string, ElementSource>()
  for (const { _id, _source, error } of docs) {
    if (error) {
      const { type = '', reason = '' } = error
      throw ofFailure({ status: type === 'security_exception' ? 403 : 503, type, reason }, DOING, place)
    }
    if (_source) found.set(_id, _source)
  }
  return found
}
