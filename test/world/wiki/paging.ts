import type { ApiCall } from './http.ts'
import { WikiError } from './http.ts'

/**
 * v2: a cursor and a strict limit of 1 to 250. v1 search: a cursor and a capped limit. Other v1 and Data
 * Center lists: start and limit.
 */
export interface CursorPage<T> {
  items: T[]
  limit: number
  /** Query of the next page; undefined at the end. */
  next: URLSearchParams | undefined
}

export interface Order<T> {
  name: string
  compare: (a: T, b: T) => number
  id: (item: T) => string
}

/** v2 responds with 400 to a limit that is not between 1 and the cap. */
export function v2Limit(call: ApiCall, defaultLimit = 25, cap = 250): number {
  const text = call.query.get('limit')
  if (text === null) return defaultLimit
  const limit = Number(text)
  if (!/^-?\d+$/.test(text)) {
    throw new WikiError(
      400,
      `Provided value {${text}} for 'limit' is not the correct type. Expected type is Integer`,
    )
  }
  if (limit < 1 || limit > cap)
    throw new WikiError(400, `limit must be between 1 and ${cap}, but was ${limit}`)
  return limit
}

/** v1 and Data Center silently cap the limit; a negative one is 400. */
export function cappedLimit(call: ApiCall, defaultLimit: number, cap: number): number {
  const limit = wholeNumber(call, 'limit', defaultLimit)
  return Math.min(limit === 0 ? defaultLimit : limit, cap)
}

export function wholeNumber(call: ApiCall, name: string, fallback: number): number {
  const text = call.query.get(name)
  if (text === null || text === '') return fallback
  if (!/^\d+$/.test(text)) throw new WikiError(400, `${name} must be a whole number, but was ${text}`)
  return Number(text)
}

/**
 * The page after the cursor's item. Cursors hold no state, never expire, and tolerate changes elsewhere in
 * the list.
 */
export function cursorPage<T>(
  call: ApiCall,
  sorted: T[],
  options: { limit: number; order: Order<T> },
): CursorPage<T> {
  const { limit, order } = options
  const cursor = call.query.get('cursor')
  let from = 0
  if (cursor !== null && cursor !== '') {
    const { sort, last, at } = readCursor(cursor)
    if (sort !== order.name) throw new WikiError(400, 'The cursor belongs to another sort order')
    const index = sorted.findIndex((item) => order.id(item) === last)
    from = index >= 0 ? index + 1 : positionAfterMissing(sorted, last, { order, at })
  }
  const items = sorted.slice(from, from + limit)
  const lastItem = items.at(-1)
  if (lastItem === undefined || from + limit >= sorted.length) return { items, limit, next: undefined }
  const next = new URLSearchParams(call.query)
  next.delete('cursor')
  next.set('limit', String(limit))
  next.set('cursor', writeCursor({ sort: order.name, last: order.id(lastItem), at: from + items.length }))
  return { items, limit, next }
}

export interface OffsetPage<T> {
  results: T[]
  start: number
  limit: number
  size: number
  more: boolean
}

export function offsetPage<T>(all: T[], start: number, limit: number): OffsetPage<T> {
  const results = all.slice(start, start + limit)
  return { results, start, limit, size: results.length, more: start + results.length < all.length }
}

export const byNumber = <T extends { id: string }>(a: T, b: T): number => numberOf(a.id) - numberOf(b.id)

/** Attachment ids have an `att` prefix, but share one number range. */
export const numberOf = (id: string): number => Number(id.startsWith('att') ? id.slice(3) : id)

interface Cursor {
  sort: string
  last: string
  at: number
}

const writeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

function readCursor(text: string): Cursor {
  try {
    const { sort, last, at } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<Cursor>
    if (typeof sort === 'string' && typeof last === 'string' && typeof at === 'number')
      return { sort, last, at }
  } catch {
    // Falls through: not one of our cursors.
  }
  throw new WikiError(400, 'Invalid cursor')
}

// The cursor's item no longer exists; its position follows from its id, or else from its number.
function positionAfterMissing<T>(
  sorted: T[],
  last: string,
  { order, at }: { order: Order<T>; at: number },
): number {
  if (order.name !== 'id') return Math.max(0, at - 1)
  const index = sorted.findIndex((item) => numberOf(order.id(item)) > numberOf(last))
  return index === -1 ? sorted.length : index
}
