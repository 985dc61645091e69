import type { Ledger } from '../ingest/ledger.ts'
import type { Database } from '../store/database.ts'
import { deleteDocuments, findDocuments, upsertDocuments } from '../store/documents.ts'

/** The ledger of a workflow, kept in the database. */
export function databaseLedger(db: Database, workflowId: string): Ledger {
  return {
    find: (recordIds) => findDocuments(db, workflowId, recordIds),
    intend: (entries) => upsertDocuments(db, workflowId, entries),
    settle: (entries) => upsertDocuments(db, workflowId, entries),
    forget: (recordIds) => deleteDocuments(db, workflowId, recordIds),
  }
}
