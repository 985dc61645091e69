import { invalid } from '../../../errors.ts'
import {
  type DocumentOrder,
  type DocumentPage,
  type SortedDocument,
  sortsByNumber,
} from '../../../store/jobs/document-pages.ts'

type From = NonNullable<DocumentPage['from']>

/** A position in one sort order, and a direction. */
export function cursorAt(
  order: DocumentOrder,
  { sort_key: key, record_id }: SortedDocument,
  backwards: boolean,
): string {
  const parts = [order.by, order.direction, backwards ? 'before' : 'after', key, record_id]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

export function cursorPosition(cursor: string, order: DocumentOrder): From {
  const [by, direction, side, key, recordId] = partsOf(cursor)
  if (typeof key !== 'string' || typeof recordId !== 'string' || (side !== 'before' && side !== 'after'))
    throw invalidCursor('it is not a cursor of this list; use `next` or `previous` of a response')
  if (by !== order.by || direction !== order.direction)
    throw invalidCursor('it belongs to another sort order; start without a cursor')
  if ((sortsByNumber(order) && !/^-?\d{1,18}$/.test(key)) || `${key}${recordId}`.includes('\0'))
    throw invalidCursor('it is not a cursor of this list; use `next` or `previous` of a response')
  return { key, recordId, backwards: side === 'before' }
}

function partsOf(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function invalidCursor(msg: string) {
  return invalid(['query', 'cursor'], `cursor: ${msg}`)
}
