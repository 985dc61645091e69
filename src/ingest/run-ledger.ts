import type { Entry } from '../ledger-entry.ts'
import type { Ledger } from './ledger.ts'

/** What a whole run in one process asks of its ledger, beside what a slice does. */
export interface RunLedger {
  find(recordIds: string[]): Promise<Map<string, Entry>>
  /** The ledger as the next task may write it: each has a fence of its own, higher than any before. */
  forTask(): Ledger
  /** How many documents are in the index. */
  count(): number
  /** All entries but those of the given documents, a few hundred at a time. */
  others(seen: ReadonlySet<string>): AsyncIterable<Entry[]>
}
