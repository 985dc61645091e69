import { createHash } from 'node:crypto'
import { NOBODY_ACCESS, OLD_NO_ONE } from '../access.ts'
import type { DataSource } from '../connectors/connector.ts'
import type { DocumentRef } from '../document.ts'
import { type Entry, writtenVersion } from '../ledger-entry.ts'

/** What every element says of the document it was cut from, under `metadata.data_source`. */
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

/** In place of a document's own where nobody knows what its rights are now; what is not known is not granted. */
export function hiddenDataSource(entry: Entry, processedAt: Date): DataSource {
  const { locator } = entry
  const version = writtenVersion(entry)
  const { permissions, clauses } = NOBODY_ACCESS
  const hidden = { permissions_data: permissions, access: clauses }
  return { version, record_locator: locator, date_processed: processedAt.toISOString(), ...hidden }
}

/** Begins every state of the current form of names in `access`; states before had no such mark. */
export const STATE_FORM = 'a2-'

/** The state of a document that is hidden: no listing has it, so that the next one that shows it brings its rights. */
export const HIDDEN = `${STATE_FORM}hidden`

/**
 * Covers everything the source says of a document beside its body: its rights first, but also its title, labels
 * and place, none of which make a new version of it. Where only this changed, the text needs no second look.
 */
export function stateHash(ref: DocumentRef): string {
  return hashOf(ref.url, ref.locator, aboutDocument(ref))
}

/**
 * The same, of what an element in the index says: where the two differ, somebody else has written it. `noted` is the
 * state in the ledger; one without the mark is compared without it.
 */
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

/** JSON with the keys of every object sorted: a ref that was stored in between comes back in another order. */
function inOneOrder(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
