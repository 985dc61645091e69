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
  /** Its elements hold its own text only. Absent: an earlier release wrote them, perhaps with other pages' text. */
  ownText?: true
  /** Read once and left out for what it is: it has no elements, and the same version is not read again. */
  skipped?: Skipped
}

/** With the fence of the task that wrote it last, which its elements in the index have too. */
export type FencedEntry = Entry & { fence: number }

/** `readable` is the pipeline's account of what it can read: a release that reads more looks again. */
export type Skipped = { code: string; message: string; readable: string }

/**
 * The settings noted for a document that lacks a part for now: no run has these, so the next one works it again.
 */
export function incompleteSettings(settingsHash: string): string {
  return `${settingsHash} incomplete`
}

/** Read as gone: it counts as not seen, so that the removal planner locates it and its guard holds. */
export const GONE = 'document_gone'
