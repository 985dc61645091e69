import type { Entry } from '../ledger-entry.ts'

/**
 * The ledger knows what is in the index. Whoever runs the ingest passes one in: a job its database, the command
 * line its file.
 */
export interface Ledger {
  find(recordIds: string[]): Promise<Map<string, Entry>>
  intend(entries: Entry[]): Promise<void>
  settle(entries: Entry[]): Promise<void>
  forget(recordIds: string[]): Promise<void>
}
