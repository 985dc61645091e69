import { hash } from 'node:crypto'
import type { DocumentRef } from './document.ts'
import { type Access, NO_ACCESS } from './permissions/levels.ts'

/** The access hash of a document that no one may read. */
export const HIDDEN_ACCESS = 'hidden'

/** Covers both forms of the permissions. */
export function accessHash({ permissions, clauses }: Pick<Access, 'permissions' | 'clauses'>): string {
  const found = hashOf(storableJson([permissions, clauses]))
  return found === NO_ACCESS_HASH ? HIDDEN_ACCESS : found
}

const NO_ACCESS_HASH = hashOfJson([NO_ACCESS.permissions, NO_ACCESS.clauses])

/** Covers everything that elements hold about a document besides body, version and permissions. */
export function metadataHash(ref: Omit<DocumentRef, 'access'>): string {
  const { url, locator, title, scope, scopeName, labels, ancestors, author } = ref
  return hashOf(storableJson([url, locator, title, scope, scopeName, [...labels].sort(), ancestors, author]))
}

/** 32 hex digits; equal for equal values, whatever the order of their keys. */
export function hashOfJson(value: unknown): string {
  return hashOf(sortedJson(value))
}

/** JSON with sorted keys, because the database does not keep their order. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, each) => withSortedKeys(each))
}

/** The sorted JSON as the database returns it: PostgreSQL stores neither NUL nor lone surrogates. */
function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '') : withSortedKeys(each),
  )
}

function withSortedKeys(value: unknown): unknown {
  return value && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
}

function hashOf(json: string): string {
  return hash('sha256', json).slice(0, 32)
}
