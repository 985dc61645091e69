import type { Entry } from '../ledger-entry.ts'

/**
 * The ledger knows what is in the index. Whoever runs the ingest passes one in: a job its database, the command
 * line its file.
 */
export interface Ledger {
  /** Of the task this ledger was opened for: whatever carries an older one comes too late, here and in the index. */
  readonly fence: number
  find(recordIds: string[]): Promise<Map<string, Entry>>
  /** Throws where a newer task has taken one of the documents over. */
  intend(entries: Entry[]): Promise<void>
  settle(entries: Entry[]): Promise<void>
  forget(recordIds: string[]): Promise<void>
}
