import type { Request, SearchClient } from './client.ts'
import type { Located } from './locate.ts'
import { AnswerTooLong, ofFailure } from './translate.ts'

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
  // From 9.2 on vectors are left out of what is read unless they are asked for; before, asking is an error.
  let asksForVectors = true

  const ask =
    (index: string, ids: string[]): Request<Found> =>
    async (es, options) => {
      const get = (querystring: Record<string, unknown>) =>
        es.mget({ index, ids }, { ...options, querystring }) as Promise<Found>
      if (!asksForVectors) return get({})
      try {
        return await get({ _source_exclude_vectors: false })
      } catch (failure) {
        if ((failure as { statusCode?: number }).statusCode !== 400) throw failure
      }
      const found = await get({})
      asksForVectors = false
      return found
    }

  return (ids, { readFrom }, signal) => {
    const reading: Request<Map<string, ElementSource> | typeof TOO_LONG> = async (es, options) => {
      try {
        return sources(await ask(readFrom, ids)(es, options), client)
      } catch (failure) {
        if (failure instanceof AnswerTooLong) return TOO_LONG
        throw failure
      }
    }
    return client.call(DOING, reading, signal)
  }
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
