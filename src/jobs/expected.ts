import type { Expected } from '../ingest/verify.ts'
import type { Database } from '../store/database.ts'
import { findKnown, knownDocuments, knownPlaces } from '../store/ledger-view.ts'

/** What the ledgers of these workflows say of the index they write. */
export async function expectedOf(db: Database, workflows: { id: string }[]): Promise<Expected> {
  const ids = workflows.map(({ id }) => id)
  const places = new Set((await knownPlaces(db, ids)).map(({ wiki, space }) => `${wiki}\n${space}`))
  return {
    entries: () => knownDocuments(db, ids),
    find: (recordIds) => findKnown(db, ids, recordIds),
    // Whatever else writes this wiki into this index, such as a command line, has spaces of its own.
    isOurs: ({ recordId, space }) => places.has(`${recordId.replace(/\/[^/]*$/, '')}\n${space}`),
  }
}
