/**
 * What the ledger knows of one document in the index.
 *
 * A document's entry goes through three steps. *Intended*: before the index is written, the ids that are about
 * to be in it are added to the ones that are, so that a crash in between orphans nothing. *Written*: the new
 * elements are in, the old ones that are no longer part of it are out. *Settled*: the entry names exactly
 * what is there, and the version, state and settings it was made from.
 */
export type Entry = {
  recordId: string
  scope: string
  position: string
  locator: Record<string, string>
  /** Of the document that was written; empty until the first time it was. */
  version: string
  stateHash: string
  settingsHash: string
  elementIds: string[]
  settled: boolean
}
