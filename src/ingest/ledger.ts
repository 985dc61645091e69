import type { Entry } from '../ledger-entry.ts'

/** What is in the index. A job passes its database, the command line its file. */
export interface Ledger {
  /** The fence of the task; the index rejects older ones. */
  readonly fence: number
  find(recordIds: string[]): Promise<Map<string, Entry>>
  /** Throws if a newer task has one of the documents. */
  intend(entries: Entry[]): Promise<void>
  settle(entries: Entry[]): Promise<void>
  forget(recordIds: string[]): Promise<void>
}
