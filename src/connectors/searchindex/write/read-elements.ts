import type { ClusterCall, SearchClient } from '../client.ts'
import { failureError, failureOf } from '../translate.ts'
import { type ClusterError, NoResponse } from '../transport.ts'
import { type LocatedIndex, pathOf } from './locate.ts'

type ElementSource = { metadata?: Record<string, unknown> } & Record<string, unknown>

/** The elements found, or `TOO_LONG` if one response cannot hold them. */
export type ReadElements = (
  ids: string[],
  located: LocatedIndex,
  signal: AbortSignal,
) => Promise<Map<string, ElementSource> | typeof TOO_LONG>

export const TOO_LONG = Symbol('too long')

type Document = { _id: string; _source?: ElementSource; error?: { type?: string; reason?: string } }
type Found = { docs: Document[] }

const DOING = 'reading elements of'

/** Reads by id: a search lags by a second. */
export function createReadElements(client: SearchClient): ReadElements {
  let supportsParameters = true

  return async (ids, { readFrom, engine }, signal) => {
    const request = (query: Record<string, string>): ClusterCall<Found | typeof TOO_LONG | null> => ({
      method: 'POST',
      path: `${pathOf(readFrom)}/_mget`,
      query,
      body: { ids },
      recover: (failure) => {
        if (failure instanceof NoResponse) return failure.why === 'too long' ? TOO_LONG : undefined
        return isUnknownParameter(failure, query) ? null : undefined
      },
    })
    const withParameters = supportsParameters
      ? await client.call(DOING, request(engine.fullSourceQuery), signal)
      : null
    const found = withParameters ?? (await client.call(DOING, request({}), signal))
    if (withParameters === null) supportsParameters = false
    return found === TOO_LONG || found === null ? TOO_LONG : sourcesById(found, client)
  }
}

/** Only this refusal allows a retry without the parameter: newer clusters would omit vectors, and the rewrite would lose them. */
function isUnknownParameter(refusal: ClusterError, query: Record<string, string>): boolean {
  const { reason } = failureOf(refusal)
  return refusal.status === 400 && Object.keys(query).some((name) => reason.includes(name))
}

/** An unreadable shard does not mean missing elements. */
function sourcesById({ docs }: Found, { address }: SearchClient): Map<string, ElementSource> {
  const found = new Map<string, ElementSource>()
  for (const { _id, _source, error } of docs) {
    if (error) {
      const { type = '', reason = '' } = error
      throw failureError({ status: type === 'security_exception' ? 403 : 503, type, reason }, DOING, address)
    }
    if (_source) found.set(_id, _source)
  }
  return found
}
