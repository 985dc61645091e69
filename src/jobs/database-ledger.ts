import { AppError } from '../errors.ts'
import type { Ledger } from '../ingest/ledger.ts'
import type { Database } from '../store/database.ts'
import {
  deleteDocuments,
  findDocuments,
  type LedgerWrite,
  upsertDocuments,
} from '../store/ledger/documents.ts'

/** The ledger in the database, for writes with this fence. */
export function databaseLedger(db: Database, writing: LedgerWrite): Ledger {
  return {
    fence: writing.fence,
    find: (recordIds) => findDocuments(db, writing, recordIds),
    intend: async (entries) => {
      if ((await upsertDocuments(db, writing, entries)) === entries.length) return
      throw new AppError('cancelled', 'a later task took these documents over')
    },
    settle: async (entries) => void (await upsertDocuments(db, writing, entries)),
    forget: (recordIds) => deleteDocuments(db, writing, recordIds),
  }
}
