/**
 * The ledger's record of one document.
 *
 * It passes three states. *Intended*: before a write, the new element ids are added, so a crash orphans
 * nothing. *Written*: the new elements are in the index and old ones out. *Settled*: the entry names exactly
 * the elements in the index, and the version, state and settings they were made from.
 */
export type Entry = {
  recordId: string
  scope: string
  position: string
  locator: Record<string, string>
  /** Of the written document; empty before the first write. */
  version: string
  stateHash: string
  settingsHash: string
  elementIds: string[]
  settled: boolean
  /** The elements hold only the document's own text. Absent: an earlier release wrote them. */
  ownText?: true
  /** Skipped for its content: it has no elements, and this version is not read again. */
  skipped?: Skipped
}

/** With the fence of the last writing task, which its elements carry too. */
export type FencedEntry = Entry & { fence: number }

/** `readable` describes what the pipeline can read: a release that reads more retries. */
export type Skipped = { code: string; message: string; readable: string }

/** Settings for an incomplete document: no run has these, so the next one retries. */
export function incompleteSettings(settingsHash: string): string {
  return `${settingsHash} incomplete`
}

/** Counts as not seen, so that the removal planner locates it and the guard applies. */
export const GONE = 'document_gone'
