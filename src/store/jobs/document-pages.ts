import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { DocumentState } from '../schema.ts'
import type { JobDocumentRow } from './job-documents.ts'

export const DOCUMENT_SORTS = ['record_id', 'title', 'state', 'updated_at', 'elements'] as const
export type DocumentOrder = { by: (typeof DOCUMENT_SORTS)[number]; direction: 'asc' | 'desc' }

const UNSORTED: DocumentOrder = { by: 'record_id', direction: 'asc' }

/** A position between two documents: the sort key, then the record id. */
export type CursorPosition = { key: string; recordId: string }

export type DocumentPage = {
  state?: DocumentState
  error?: string
  scope?: string
  order?: DocumentOrder
  /** Lists after this position, or before it if `backwards`. */
  from?: CursorPosition & { backwards: boolean }
  limit: number
}
/** The sort key as text, because a JavaScript date has no microseconds. */
export type SortedDocument = JobDocumentRow & { sort_key: string }

/** Always in the requested order, also when paging backwards. */
export async function listDocuments(
  db: Database,
  jobId: string,
  { state, error, scope, order = UNSORTED, from, limit }: DocumentPage,
): Promise<SortedDocument[]> {
  const key = keyOf(order)
  const upwards = (order.direction === 'asc') !== (from?.backwards ?? false)
  const direction = upwards ? sql`asc` : sql`desc`
  let query = db
    .selectFrom('job_documents')
    .selectAll()
    .select(sql<string>`(${key})::text`.as('sort_key'))
    .where('job_id', '=', jobId)
  if (state) query = query.where('state', '=', state)
  if (error) query = query.where('error_code', '=', error)
  if (scope) query = query.where('scope', '=', scope)
  if (from) {
    const beyond = upwards ? sql`>` : sql`<`
    const at = isNumber(order) ? sql`${from.key}::bigint` : sql`${from.key}::text`
    query = query.where(sql<boolean>`(${key}, record_id) ${beyond} (${at}, ${from.recordId}::text)`)
  }
  const rows = await query
    .orderBy(sql`${key} ${direction}`)
    .orderBy(sql`record_id ${direction}`)
    .limit(limit)
    .execute()
  return from?.backwards ? rows.reverse() : rows
}

export function isNumber({ by }: DocumentOrder): boolean {
  return by === 'updated_at' || by === 'elements'
}

/** Rows without a value sort last in either direction. */
function keyOf({ by, direction }: DocumentOrder): RawBuilder<unknown> {
  switch (by) {
    case 'title':
      return sql`lower(title)`
    case 'updated_at':
      return sql`(extract(epoch from updated_at) * 1000000)::bigint`
    case 'elements':
      return sql`coalesce(elements, ${sql.lit(direction === 'asc' ? 2_147_483_647 : -1)})::bigint`
    default:
      return sql.ref(by)
  }
}
