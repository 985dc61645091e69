import type { DataSource } from '../connectors/destination.ts'
import type { DocumentRef } from '../document.ts'
import { accessHash, HIDDEN_ACCESS, hashOfJson, metadataHash, sortedJson } from '../document-hashes.ts'
import type { Entry } from '../ledger-entry.ts'
import { NO_ACCESS } from '../permissions/levels.ts'

/** The `metadata.data_source` of every element of a document. */
export function dataSource(ref: DocumentRef, version: string, processedAt: Date): DataSource {
  return {
    url: ref.url,
    version,
    record_locator: ref.locator,
    ...(ref.createdAt ? { date_created: ref.createdAt } : {}),
    ...(ref.modifiedAt ? { date_modified: ref.modifiedAt } : {}),
    date_processed: processedAt.toISOString(),
    ...stateFields(ref),
  }
}

/** For a document whose permissions are unknown: grants no access. */
export function hiddenDataSource(entry: Pick<Entry, 'locator' | 'version'>, processedAt: Date): DataSource {
  const { locator, version } = entry
  const { permissions, clauses } = NO_ACCESS
  const hidden = { permissions_data: permissions, access: clauses }
  return { version, record_locator: locator, date_processed: processedAt.toISOString(), ...hidden }
}

/** The state hash of a hidden document. No listed document has it, so the next listing restores permissions. */
export const HIDDEN_STATE = 'hidden'

/** Covers everything but the body: permissions, title, labels, ancestors. If only this changes, the text stays. */
export function stateHash(ref: DocumentRef): string {
  return hashOfJson([ref.url, ref.locator, stateFields(ref)])
}

type WrittenState = Required<Pick<Entry, 'stateHash' | 'accessHash' | 'metadataHash'>>

/** Every write needs the state twice, for its intent and to settle; refs never change. */
const states = new WeakMap<DocumentRef, WrittenState>()

/** What the ledger records about the state that was written. */
export function stateOf(ref: DocumentRef): WrittenState {
  let state = states.get(ref)
  if (!state) {
    state = { stateHash: stateHash(ref), accessHash: accessHash(ref.access), metadataHash: metadataHash(ref) }
    states.set(ref, state)
  }
  return state
}

/** The same for a hidden document. */
export const HIDDEN: Pick<Entry, 'stateHash' | 'accessHash'> = {
  stateHash: HIDDEN_STATE,
  accessHash: HIDDEN_ACCESS,
}

/** The state hash of an element in the index. If it differs from the ledger's, another program wrote the element. */
export function writtenStateHash(written: DataSource): string {
  const { url, record_locator: locator, version: _, date_created: __, date_modified: ___, ...rest } = written
  const { date_processed: ____, ...state } = rest
  return url === undefined && sortedJson(state) === HIDDEN_FIELDS
    ? HIDDEN_STATE
    : hashOfJson([url, locator, state])
}

const HIDDEN_FIELDS = sortedJson({ permissions_data: NO_ACCESS.permissions, access: NO_ACCESS.clauses })

function stateFields(ref: DocumentRef): DataSource {
  return {
    title: ref.title,
    space: { key: ref.scope, name: ref.scopeName },
    labels: [...ref.labels].sort(),
    ancestors: ref.ancestors,
    ...(ref.author ? { author: ref.author } : {}),
    permissions_data: ref.access.permissions,
    access: ref.access.clauses,
  }
}
