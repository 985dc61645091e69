import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'

/** A part of a list: at most `limit` rows after a place in it. */
export type ListRange = { limit: number; cursor: string | null }
export type ListPart<Row> = { rows: Row[]; next: string | null }

/** Lists are in the order of a time and an id. */
type ListOrder = { at: string; id: string; direction: 'asc' | 'desc' }

/** The time in microseconds, which a date of JavaScript would lose, and an id. */
export const LIST_CURSOR = /^\d{1,17}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The part of a list that the range asks for; `query` selects its rows. */
export async function readPart<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  order: ListOrder,
  { limit, cursor }: ListRange,
): Promise<ListPart<Row>> {
  const { at, id } = order
  const place = sql<string>`(extract(epoch from ${sql.ref(at)}) * 1000000)::bigint || '-' || ${sql.ref(id)}`
  const found = await query
    .select(place.as('cursor'))
    .where(isAfter(order, cursor))
    .orderBy(inOrder(order))
    .limit(limit + 1)
    .execute()
  const { rows, next } = firstPart(found as (Row & { cursor: string })[], limit, (row) => row.cursor)
  return { rows: rows.map(({ cursor: _, ...row }) => row as Row), next }
}

/** From a query for one row more than the limit. */
export function firstPart<Row>(found: Row[], limit: number, cursorOf: (row: Row) => string): ListPart<Row> {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: found.length > limit && last ? cursorOf(last) : null }
}

function isAfter({ at, id, direction }: ListOrder, cursor: string | null): RawBuilder<boolean> {
  if (cursor === null) return sql<boolean>`true`
  const [micros = '', ...parts] = cursor.split('-')
  const key = sql`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${parts.join('-')}::uuid)`
  return sql<boolean>`(${sql.ref(at)}, ${sql.ref(id)}) ${sql.raw(direction === 'asc' ? '>' : '<')} ${key}`
}

function inOrder({ at, id, direction }: ListOrder): RawBuilder<unknown> {
  const by = sql.raw(direction)
  return sql`${sql.ref(at)} ${by}, ${sql.ref(id)} ${by}`
}
