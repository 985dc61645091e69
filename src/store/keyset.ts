import { type RawBuilder, sql } from 'kysely'

/** A part of a list: at most `limit` rows after a place in it. */
export type ListRange = { limit: number; cursor: string | null }
export type ListPart<Row> = { rows: Row[]; next: string | null }

/** Lists are in the order of a time and an id. */
export type ListOrder = { at: string; id: string; direction: 'asc' | 'desc' }

/** The time in microseconds, which a date of JavaScript would lose, and an id. */
export const LIST_CURSOR = /^\d{1,17}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const cursorOf = ({ at, id }: ListOrder) =>
  sql<string>`(extract(epoch from ${sql.ref(at)}) * 1000000)::bigint || '-' || ${sql.ref(id)}`.as('cursor')

export function isAfter({ at, id, direction }: ListOrder, cursor: string | null): RawBuilder<boolean> {
  if (cursor === null) return sql<boolean>`true`
  const [micros = '', ...parts] = cursor.split('-')
  const key = sql`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${parts.join('-')}::uuid)`
  return sql<boolean>`(${sql.ref(at)}, ${sql.ref(id)}) ${sql.raw(direction === 'asc' ? '>' : '<')} ${key}`
}

export function inOrder({ at, id, direction }: ListOrder): RawBuilder<unknown> {
  const by = sql.raw(direction)
  return sql`${sql.ref(at)} ${by}, ${sql.ref(id)} ${by}`
}

/** From a query for one row more than the limit. */
export function listPart<Row extends { cursor: string }>(
  rows: Row[],
  limit: number,
): ListPart<Omit<Row, 'cursor'>> {
  const shown = rows.slice(0, limit)
  return {
    rows: shown.map(({ cursor: _, ...row }) => row),
    next: rows.length > limit ? (shown.at(-1)?.cursor ?? null) : null,
  }
}
