/** Search as a reader: the permission filter is always on. */
export interface Search {
  /** The best matches in order, without their text. Equal requests rank equally while the index does not change. */
  rank(request: SearchRequest, signal: AbortSignal): Promise<Ranking>
  /** The requested elements that the reader may read, by key. */
  elements(request: ElementRequest, signal: AbortSignal): Promise<Map<string, SearchElement>>
  keyOf(recordId: string, elementId: string): string
  /** The dimension of the vectors in the index, or null; a vector search needs the same. */
  dims(signal: AbortSignal): Promise<number | null>
  /** The search in the destination's own language, with the permission filter and without secrets. */
  native?(request: NativeRequest, signal: AbortSignal): Promise<NativeQuery>
}

export type DateRange = { gte?: string; lte?: string }

/** All filters have to match; the values of one filter are alternatives. */
export type SearchFilters = {
  space_key?: string[]
  labels?: string[]
  /** Ids or record ids of pages: matches the documents below them. */
  ancestors?: string[]
  author?: string[]
  filetype?: string[]
  record_id?: string[]
  /** Of files in archives. */
  path_in_archive?: string[]
  created?: DateRange
  modified?: DateRange
}

export const FACET_NAMES = ['space_key', 'labels', 'filetype', 'author', 'modified'] as const

export type FacetName = (typeof FACET_NAMES)[number]

export type FacetValues = Partial<Record<FacetName, string[]>>

export type SearchRequest = {
  query: string
  /** The tokens of the reader, as in `access`. Without any, nothing is found. */
  tokens: string[]
  /** How many of the best matches to rank. */
  depth: number
  filters?: SearchFilters
  vector?: number[]
  /** The least cosine similarity of a match by vector alone. */
  floor?: number
  /** The values to return with each ranked element. */
  facets?: FacetName[]
}

/** `key` is the destination's own id of the element. */
export type RankedElement = {
  key: string
  record_id: string
  score: number
  /** Only of files in archives, which are hits of their own. */
  path_in_archive?: string
  facets?: FacetValues
}

/** `total` is exact if the ranking has all matches, else an upper bound. */
export type Ranking = { total: number; ranked: RankedElement[] }

/** `query` marks its words in the highlights. */
export type ElementRequest = { keys: string[]; tokens: string[]; query?: string }

export type SearchElement = {
  record_id: string
  element_id: string
  type: string
  text: string
  /** Escaped HTML with the words of the query in `<mark>`, best first. */
  highlights: string[]
  title: string | null
  url: string | null
  version: string | null
  date_modified: string | null
  space_key: string | null
  filetype: string | null
  page_number: number | null
  /** Null outside of archives. */
  path_in_archive: string | null
  granted_by: string[]
}

/** `size` elements after the first `from`. */
export type NativeRequest = Omit<SearchRequest, 'depth' | 'facets'> & { size: number; from: number }

/** Either a request or SQL. */
export type NativeQuery = {
  /** A lower-case word that the connector chooses. */
  dialect: string
  /** The dialect as people write it. */
  title: string
  request: { method: string; path: string; body: Record<string, unknown> } | null
  sql: string | null
}
