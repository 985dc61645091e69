import type { BodyOf, CallOptions, QueryOf, Request, ResponseOf } from './operations.ts'
import { byCursor } from './paging.ts'

export type SearchQuery = BodyOf<'POST /api/v1/destinations/{id}/search'>
export type SearchResults = ResponseOf<'POST /api/v1/destinations/{id}/search'>
export type SearchHit = SearchResults['hits'][number]

type DocumentQuery = QueryOf<'GET /api/v1/destinations/{id}/documents/{record_id}'>
export type ReadDocument = ResponseOf<'GET /api/v1/destinations/{id}/documents/{record_id}'>
export type DocumentElement = ReadDocument['elements'][number]

/** Searches as the person of the token, or as the one in `as`. A search changes nothing, so it is retried. */
export function searchOf(request: Request) {
  return (destinationId: string, query: SearchQuery, options?: CallOptions): Promise<SearchResults> =>
    request('POST /api/v1/destinations/{id}/search', {
      ...options,
      path: { id: destinationId },
      body: query,
      isSafe: true,
    })
}

/** Documents of a destination, read as a person. */
export function documentsOf(request: Request) {
  const get = (
    destinationId: string,
    recordId: string,
    { query, ...options }: CallOptions & { query?: DocumentQuery } = {},
  ): Promise<ReadDocument> =>
    request('GET /api/v1/destinations/{id}/documents/{record_id}', {
      ...options,
      path: { id: destinationId, record_id: recordId },
      query,
    })
  return {
    get,
    /** All elements in reading order, page by page. */
    elements: (
      destinationId: string,
      recordId: string,
      { query, ...options }: CallOptions & { query?: Omit<DocumentQuery, 'cursor'> } = {},
    ): AsyncGenerator<DocumentElement> =>
      byCursor(async (cursor) => {
        const read = await get(destinationId, recordId, { ...options, query: { ...query, cursor } })
        return { items: read.elements, next: read.next }
      }),
  }
}

/** The hits of all pages, each page searched when it is needed. */
export function searchAllOf(search: ReturnType<typeof searchOf>) {
  return (
    destinationId: string,
    query: Omit<SearchQuery, 'from' | 'search_after'>,
    options?: CallOptions,
  ): AsyncGenerator<SearchHit> =>
    byCursor(async (cursor) => {
      const { hits, next } = await search(destinationId, { ...query, search_after: cursor }, options)
      return { items: hits, next }
    })
}
