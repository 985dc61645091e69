import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { DocumentState } from '../schema.ts'
import type { JobDocumentRow } from './job-documents.ts'
import type { JobRow } from './jobs.ts'

export const DOCUMENT_SORTS = ['record_id', 'title', 'state', 'updated_at', 'elements'] as const
export type DocumentOrder = { by: (typeof DOCUMENT_SORTS)[number]; direction: 'asc' | 'desc' }

const DEFAULT_ORDER: DocumentOrder = { by: 'record_id', direction: 'asc' }

export type DocumentFilters = {
  error?: string | undefined
  /** The code of a warning that the document has. */
  warning?: string | undefined
  scope?: string | undefined
  /** A part of the title, in any case. */
  title?: string | undefined
}

export type DocumentPage = DocumentFilters & {
  state?: DocumentState | undefined
  order?: DocumentOrder
  /** Lists after this position, or before it if `backwards`. */
  from?: { key: string; recordId: string; backwards: boolean } | undefined
  limit: number
}
/** The sort key as text, because a JavaScript date has no microseconds. */
export type SortedDocument = JobDocumentRow & { sort_key: string }

/** Always in the requested order, also when paging backwards. */
export async function listDocuments(
  db: Database,
  jobId: string,
  { state, order = DEFAULT_ORDER, from, limit, ...filters }: DocumentPage,
): Promise<SortedDocument[]> {
  const key = keyOf(order)
  const ascending = (order.direction === 'asc') !== (from?.backwards ?? false)
  const direction = ascending ? sql`asc` : sql`desc`
  let query = db
    .selectFrom('job_documents')
    .selectAll()
    .select(sql<string>`(${key})::text`.as('sort_key'))
    .where('job_id', '=', jobId)
    .where(matches(filters))
  if (state) query = query.where('state', 'in', state === 'pending' ? ['pending', 'deferred'] : [state])
  if (from) {
    const operator = ascending ? sql`>` : sql`<`
    const at = sortsByNumber(order) ? sql`${from.key}::bigint` : sql`${from.key}::text`
    query = query.where(sql<boolean>`(${key}, record_id) ${operator} (${at}, ${from.recordId}::text)`)
  }
  const rows = await query
    .orderBy(sql`${key} ${direction}`)
    .orderBy(sql`record_id ${direction}`)
    .limit(limit)
    .execute()
  return from?.backwards ? rows.reverse() : rows
}

/** Listed documents by state. Without filters, from the counts that triggers keep. */
export async function documentTotals(
  db: Database,
  jobId: string,
  filters: DocumentFilters,
): Promise<Record<string, number>> {
  const isFiltered = Object.values(filters).some(Boolean)
  const counted = isFiltered
    ? sql`select state, count(*) as documents from job_documents
          where job_id = ${jobId}::uuid and ${matches(filters)} group by state`
    : sql`select state, documents from job_counts where job_id = ${jobId}::uuid and documents <> 0
          and exists (select from jobs where id = ${jobId}::uuid and documents_kept)`
  const { rows } = await sql<{ state: string; documents: number }>`
    select case state when 'deferred' then 'pending' else state end as state,
      sum(documents)::double precision as documents
    from (${counted}) as counted group by 1 order by 1
  `.execute(db)
  return Object.fromEntries(rows.map(({ state, documents }) => [state, documents]))
}

function matches({ error, warning, scope, title }: DocumentFilters): RawBuilder<boolean> {
  const conditions = [
    ...(error ? [sql`error_code = ${error}`] : []),
    ...(warning ? [sql`warnings @> ${JSON.stringify([{ code: warning }])}::jsonb`] : []),
    ...(scope ? [sql`scope = ${scope}`] : []),
    ...(title ? [sql`strpos(lower(title), lower(${title}::text)) > 0`] : []),
  ]
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}

export function sortsByNumber({ by }: DocumentOrder): boolean {
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

/** The scopes of a job, with their names where the source still lists documents of them. */
export async function scopesOfJob(db: Database, job: JobRow): Promise<{ key: string; name: string }[]> {
  const { rows } = await sql<{ key: string; name: string }>`
    select scope as key, coalesce(named.name, '') as name
    from job_scopes
    left join lateral (
      select ref->>'scopeName' as name from wanted_documents
      where workflow_id = ${job.workflow_id}::uuid and scope = job_scopes.scope limit 1
    ) as named on true
    where job_id = ${job.id}::uuid order by scope
  `.execute(db)
  return rows
}
