/**
 * The ledger's record of one document. *Intended*: new element ids are added before the write. *Written*: the
 * index is up to date. *Settled*: the entry names exactly what the index holds.
 */
export type Entry = {
  recordId: string
  scope: string
  position: string
  locator: Record<string, string>
  /** Of the written document; empty before the first write. */
  version: string
  stateHash: string
  /** Of the permissions in the index; absent while they are unknown. */
  accessHash?: string
  /** Of everything else about the document; absent while it is unknown. */
  metadataHash?: string
  settingsHash: string
  elementIds: string[]
  settled: boolean
  /** Skipped for its content; this version is not read again. */
  skipped?: Skipped
}

/** With the fence of the last writing task, which its elements carry too. */
export type FencedEntry = Entry & { fence: number }

/** `readable` describes what the pipeline can read: a release that reads more retries. */
export type Skipped = { code: string; message: string; readable: string }

/** No run has these settings, so the next one retries the document. */
export function incompleteSettings(settingsHash: string): string {
  return `${settingsHash} incomplete`
}

/** Error code of documents that count as unlisted, so that the removal guard applies. */
export const DOCUMENT_GONE = 'document_gone'
