import { createHash } from 'node:crypto'
import { NOBODY_ACCESS, OLD_NO_ONE } from '../access.ts'
import type { DataSource } from '../connectors/connector.ts'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'

/** What every element holds as `metadata.data_source`. */
export function dataSource(ref: DocumentRef, version: string, processedAt: Date): DataSource {
  return {
    url: ref.url,
    version,
    record_locator: ref.locator,
    ...(ref.createdAt ? { date_created: ref.createdAt } : {}),
    ...(ref.modifiedAt ? { date_modified: ref.modifiedAt } : {}),
    date_processed: processedAt.toISOString(),
    ...aboutDocument(ref),
  }
}

/** For a document whose permissions are unknown: grants no access. */
export function hiddenDataSource(entry: Entry, processedAt: Date): DataSource {
  const { locator, version } = entry
  const { permissions, clauses } = NOBODY_ACCESS
  const hidden = { permissions_data: permissions, access: clauses }
  return { version, record_locator: locator, date_processed: processedAt.toISOString(), ...hidden }
}

/** Prefix of states with the current names in `access`. */
export const STATE_FORM = 'a2-'

/** The state of a hidden document. No listing has it, so the next one restores permissions. */
export const HIDDEN = `${STATE_FORM}hidden`

/** Covers everything but the body: permissions, title, labels and place. Where only this changed, the text stays. */
export function stateHash(ref: DocumentRef): string {
  return hashOf(ref.url, ref.locator, aboutDocument(ref))
}

/** The state of an element in the index; another one shows a foreign write. `noted` is the ledger's state. */
export function writtenStateHash(written: DataSource, noted: string): string {
  const state = stateIn(written)
  return noted.startsWith(STATE_FORM) ? state : state.slice(STATE_FORM.length)
}

function stateIn(written: DataSource): string {
  const { url, record_locator: locator, version: _, date_created: __, date_modified: ___, ...rest } = written
  const { date_processed: ____, ...about } = rest
  return url === undefined && HIDDEN_FORMS.has(inOneOrder(about)) ? HIDDEN : hashOf(url, locator, about)
}

/** What hidden elements say, today and in indexes written before. */
const HIDDEN_FORMS = new Set(
  [NOBODY_ACCESS.clauses, { c0: [OLD_NO_ONE] }].map((access) =>
    inOneOrder({ permissions_data: NOBODY_ACCESS.permissions, access }),
  ),
)

function hashOf(url: unknown, locator: unknown, about: DataSource): string {
  const hash = createHash('sha256').update(inOneOrder([url, locator, about]))
  return STATE_FORM + hash.digest('hex').slice(0, 32)
}

function aboutDocument(ref: DocumentRef): DataSource {
  return {
    title: ref.title,
    space: ref.space,
    labels: [...ref.labels].sort(),
    ancestors: ref.ancestors,
    ...(ref.author ? { author: ref.author } : {}),
    permissions_data: ref.access.permissions,
    access: ref.access.clauses,
  }
}

/** JSON with sorted keys: a stored ref comes back in another order. */
function inOneOrder(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
