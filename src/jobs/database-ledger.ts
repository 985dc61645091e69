import { AppError } from '../errors.ts'
import type { Ledger } from '../ingest/ledger.ts'
import type { Database } from '../store/database.ts'
import {
  deleteDocuments,
  findDocuments,
  type LedgerWrite,
  recordStaleElements,
  upsertDocuments,
} from '../store/ledger/documents.ts'
import { markUnwritten } from '../store/ledger/unwritten-permissions.ts'
import { deleteVersions, recordVersions } from '../store/ledger/versions.ts'
import { deleteWanted } from '../store/ledger/wanted.ts'

/** `hides`: documents that the task hides are hidden from search too. The permission writer only follows the wanted state. */
type LedgerOptions = { hides: boolean; jobId?: string }

/** The ledger in the database, for writes with this fence. */
export function databaseLedger(
  db: Database,
  writing: LedgerWrite,
  { hides, jobId }: LedgerOptions = { hides: true },
): Ledger {
  return {
    fence: writing.fence,
    find: (recordIds) => findDocuments(db, writing, recordIds),
    // All or none: a part would count as being written by a task that has given up.
    intend: (entries) =>
      db.transaction().execute(async (transaction) => {
        if ((await upsertDocuments(transaction, writing, entries)).size === entries.length) return
        throw new AppError('taken_over', 'a later task took these documents over')
      }),
    settle: (entries) =>
      db.transaction().execute(async (transaction) => {
        await recordStaleElements(transaction, writing, entries)
        const settled = await upsertDocuments(transaction, writing, entries)
        await markUnwritten(transaction, writing, { recordIds: [...settled], hides })
        await recordVersions(transaction, writing, { recordIds: [...settled], jobId: jobId ?? null })
        return entries.map(({ recordId }) => recordId).filter((recordId) => !settled.has(recordId))
      }),
    forget: async (recordIds) => {
      await deleteDocuments(db, writing, recordIds)
      await deleteWanted(db, writing.workflowId, recordIds)
      await deleteVersions(db, writing.workflowId, recordIds)
    },
  }
}
