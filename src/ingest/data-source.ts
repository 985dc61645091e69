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

/** Prefix of state hashes that use the current token names in `access`. */
export const STATE_FORM = 'a2-'

/** The state hash of a hidden document. No listed document has it, so the next listing restores permissions. */
export const HIDDEN = `${STATE_FORM}hidden`

/** Covers everything but the body: permissions, title, labels, ancestors. If only this changes, the text stays. */
export function stateHash(ref: DocumentRef): string {
  return hashOf(ref.url, ref.locator, aboutDocument(ref))
}

/** The state hash of an element in the index. If it differs from the ledger's, another program wrote the element. */
export function writtenStateHash(written: DataSource, ledgerHash: string): string {
  const state = stateIn(written)
  return ledgerHash.startsWith(STATE_FORM) ? state : state.slice(STATE_FORM.length)
}

function stateIn(written: DataSource): string {
  const { url, record_locator: locator, version: _, date_created: __, date_modified: ___, ...rest } = written
  const { date_processed: ____, ...about } = rest
  return url === undefined && HIDDEN_FORMS.has(sortedJson(about)) ? HIDDEN : hashOf(url, locator, about)
}

/** The access of hidden elements, as written now and by earlier releases. */
const HIDDEN_FORMS = new Set(
  [NOBODY_ACCESS.clauses, { c0: [OLD_NO_ONE] }].map((access) =>
    sortedJson({ permissions_data: NOBODY_ACCESS.permissions, access }),
  ),
)

function hashOf(url: unknown, locator: unknown, about: DataSource): string {
  const hash = createHash('sha256').update(sortedJson([url, locator, about]))
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

/** JSON with sorted keys, because the database does not keep their order. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
