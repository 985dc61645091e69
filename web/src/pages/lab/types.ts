import type { Operations } from '../../../../packages/millrace-client/src/schema.ts'
import type { ResponseOf } from '../../service/types.ts'

export type { SearchDestination as Destination } from '../../service/types.ts'

/** Given groups replace the groups from the source. Empty for the signed-in person. */
export type Person = { user?: string; groups?: string[] }

export type SearchResults = ResponseOf<'POST /api/v1/destinations/{id}/search'>
export type ReadDocument = ResponseOf<'GET /api/v1/destinations/{id}/documents/{record_id}'>
export type FacetName = NonNullable<
  Operations['POST /api/v1/destinations/{id}/search']['body']['facets']
>[number]
export type HiddenScope = SearchResults['hidden'][number]

export type Comparison = ResponseOf<'POST /api/v1/destinations/{id}/compare'>
export type ComparedDocument = Comparison['documents'][number]
export type Status = ComparedDocument['people'][number]['status']
export type StoppedBy = NonNullable<ComparedDocument['people'][number]['stopped_by']>
export type LevelKind = StoppedBy['level']
export type Principals = StoppedBy['principals']

export type Explanation = ResponseOf<'POST /api/v1/destinations/{id}/explain'>
export type Level = Explanation['chain'][number]

export type ReadersResponse = ResponseOf<'GET /api/v1/destinations/{id}/readers'>
export type NativeQuery = ResponseOf<'POST /api/v1/destinations/{id}/native-query'>

export const paneTabs = ['text', 'access', 'copy'] as const
export type PaneTab = (typeof paneTabs)[number]
export type PaneProps = { document: ComparedDocument; names: string[] }

/** The address holds the whole search, so that it can be shared. */
export type LabAddress = {
  destination?: string | undefined
  query?: string | undefined
  user?: string | undefined
  groups?: string | undefined
  user2?: string | undefined
  groups2?: string | undefined
  user3?: string | undefined
  groups3?: string | undefined
  space?: string | undefined
  labels?: string | undefined
  filetype?: string | undefined
  author?: string | undefined
  /** An id or record id: everything below this document. */
  below?: string | undefined
  /** Dates of the last change. */
  from?: string | undefined
  until?: string | undefined
  /** Shows only documents that not everyone finds. */
  differences?: boolean | undefined
  /** The record id of the result in the pane. */
  record?: string | undefined
  tab?: PaneTab | undefined
  /** A record id or a document's address to check. */
  explain?: string | undefined
}
