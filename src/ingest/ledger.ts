/**
 * The ledger knows what is in the index. Whoever runs the ingest passes one in: a job its database, the command
 * line its file.
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

export interface Ledger {
  find(recordIds: string[]): Promise<Map<string, Entry>>
  intend(entries: Entry[]): Promise<void>
  settle(entries: Entry[]): Promise<void>
  forget(recordIds: string[]): Promise<void>
}
