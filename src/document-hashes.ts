import { createHash } from 'node:crypto'
import { type Access, NO_ACCESS } from './access.ts'
import type { DocumentRef } from './document.ts'

/** The access hash of a document that no one may read. */
export const HIDDEN_ACCESS = 'hidden'

/** Covers both forms of the permissions. */
export function accessHash({ permissions, clauses }: Pick<Access, 'permissions' | 'clauses'>): string {
  const hash = hashOfJson(storable([permissions, clauses]))
  return hash === NO_ACCESS_HASH ? HIDDEN_ACCESS : hash
}

const NO_ACCESS_HASH = hashOfJson([NO_ACCESS.permissions, NO_ACCESS.clauses])

/** Covers everything that elements hold about a document besides body, version and permissions. */
export function aboutHash(ref: Omit<DocumentRef, 'access'>): string {
  const { url, locator, title, space, labels, ancestors, author } = ref
  return hashOfJson(storable([url, locator, title, space, [...labels].sort(), ancestors, author]))
}

/** The value as the database returns it: PostgreSQL stores neither NUL nor lone surrogates. */
function storable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each) =>
      typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '') : each,
    ),
  )
}

/** 32 hex digits; equal for equal values, whatever the order of their keys. */
export function hashOfJson(value: unknown): string {
  return createHash('sha256').update(sortedJson(value)).digest('hex').slice(0, 32)
}

/** JSON with sorted keys, because the database does not keep their order. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
