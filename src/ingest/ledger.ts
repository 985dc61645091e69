import type { Entry } from '../ledger-entry.ts'

/** What is in the index. Jobs keep it in the database, the command line in a file. */
export interface Ledger {
  /** The fence of the task; the index rejects writes with a lower fence. */
  readonly fence: number
  find(recordIds: string[]): Promise<Map<string, Entry>>
  /** Throws if a newer task has one of the documents. */
  intend(entries: Entry[]): Promise<void>
  /** Returns the record ids that a newer task has; they were not recorded. */
  settle(entries: Entry[]): Promise<string[]>
  forget(recordIds: string[]): Promise<void>
}
