import type { Search, SearchElement } from '../connectors/search.ts'
import { invalid } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { readingOrder } from '../store/ledger/reading-order.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'
import { ledgerCheck } from './ledger-check.ts'
import type { IndexReader } from './memberships.ts'
import type { ReadDocument } from './shapes/search.ts'

/** `path` is that of one file of an archive. */
export type DocumentRequest = { recordId: string; path?: string; limit: number; cursor?: string }
export type ReaderOf = {
  db: Database
  search: Search
  reader: Pick<IndexReader, 'tokens' | 'tokensIn'>
  workflows: WorkflowRow[]
}

/** A page of a document's elements in reading order; null if the reader may not read it. */
export async function readDocument(
  { recordId, path, limit, cursor }: DocumentRequest,
  { db, search, reader, workflows }: ReaderOf,
  signal: AbortSignal,
): Promise<ReadDocument | null> {
  const { tokens } = reader
  const verdicts = await ledgerCheck(db, workflows, reader)([recordId])
  if (verdicts.get(recordId) !== 'shown') return null
  const workflowIds = workflows.map(({ id }) => id)
  const all = (await readingOrder(db, workflowIds, [recordId])).get(recordId) ?? []
  const ids = path === undefined ? all : await idsOfFile(all, { recordId, path, search, tokens }, signal)
  const read = async (from: number) => {
    const keys = ids.slice(from, from + limit).map((id) => search.keyOf(recordId, id))
    const found = await search.elements({ keys, tokens }, signal)
    return keys.flatMap((key) => found.get(key) ?? [])
  }
  // All elements share their permissions, so the first ones decide.
  const first = await read(0)
  if (first.length === 0) return null
  const at = cursor === undefined ? -1 : ids.indexOf(cursor)
  if (cursor !== undefined && at < 0)
    throw invalid(['query', 'cursor'], 'the document has changed: read it again from the beginning')
  const elements = (at < 0 ? first : await read(at + 1)).map(toPart)
  const last = at + limit
  return { ...about(first[0]!, path), elements, next: last < ids.length - 1 ? (ids[last] ?? null) : null }
}

/** Search engines refuse to list more. */
const MAX_LISTED = 10_000

/** The elements of one file of an archive, in reading order. */
async function idsOfFile(
  ids: string[],
  of: { recordId: string; path: string; search: Search; tokens: string[] },
  signal: AbortSignal,
): Promise<string[]> {
  const { recordId, path, search, tokens } = of
  const filters = { record_id: [recordId], path_in_archive: [path] }
  const { ranked } = await search.rank({ query: '', tokens, depth: MAX_LISTED, filters }, signal)
  const keys = new Set(ranked.map(({ key }) => key))
  return ids.filter((id) => keys.has(search.keyOf(recordId, id)))
}

function about(element: SearchElement, path: string | undefined): Omit<ReadDocument, 'elements' | 'next'> {
  const { record_id, title, url, version, date_modified, space_key } = element
  const isWholeArchive = element.path_in_archive !== null && path === undefined
  const filetype = isWholeArchive ? null : element.filetype
  return {
    record_id,
    title,
    url,
    version,
    date_modified,
    space_key,
    filetype,
    path_in_archive: path ?? null,
  }
}

function toPart(element: SearchElement): ReadDocument['elements'][number] {
  const { element_id, type, text, page_number, path_in_archive } = element
  return { element_id, type, text, page_number, path_in_archive }
}
