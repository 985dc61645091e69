import type { Entry } from '../ledger-entry.ts'
import type { Ledger } from './ledger.ts'

/** The ledger of a whole run in one process. */
export interface RunLedger {
  find(recordIds: string[]): Promise<Map<string, Entry>>
  /** The ledger with the next, higher fence. */
  forTask(): Ledger
  /** How many documents are in the index. */
  count(): number
  /** All entries except these, in batches of a few hundred. */
  entriesExcept(seen: ReadonlySet<string>): AsyncIterable<Entry[]>
}
