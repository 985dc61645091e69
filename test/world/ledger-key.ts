import type { Database } from '../../src/store/database.ts'
import { type LedgerKey, readSearchedLedger } from '../../src/store/ledger/ledgers.ts'

/** The ledger of the searched index of a workflow. */
export async function ledgerOf(db: Database, workflowId: string): Promise<LedgerKey> {
  const ledger = await readSearchedLedger(db, workflowId)
  if (!ledger) throw new Error(`the workflow ${workflowId} does not exist`)
  return { workflowId, ledgerId: ledger.id }
}
