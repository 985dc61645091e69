import type { Destination } from '../connectors/connector.ts'
import type { Expected } from '../ingest/verify.ts'
import type { Database } from '../store/database.ts'
import { findKnown, knownDocuments, knownPlaces } from '../store/ledger/ledger-view.ts'
import { replacedBy } from '../store/swaps/swaps.ts'

type Compared = { db: Database; workflows: { id: string }[]; destination: Destination }

/** What the ledgers of these workflows say of the index they write. */
export async function expectedIndex(
  { db, workflows, destination }: Compared,
  signal: AbortSignal,
): Promise<Expected> {
  const ids = workflows.map(({ id }) => id)
  const places = new Set((await knownPlaces(db, ids)).map(({ wiki, space }) => `${wiki}\n${space}`))
  const identity = await destination.swap?.identity(signal)
  // One that a swap has replaced, and somebody put back: spaces that have left since are in it, and in no ledger.
  const before = identity ? await replacedBy(db, ids, identity) : []
  const wikis = new Set((await knownPlaces(db, before)).map(({ wiki }) => wiki))
  return {
    entries: () => knownDocuments(db, ids),
    find: (recordIds) => findKnown(db, ids, recordIds),
    // Whatever else writes this wiki into this index, such as a command line, has spaces of its own.
    isOurs: ({ recordId, scopeKey: space }) => {
      const wiki = recordId.replace(/\/[^/]*$/, '')
      return wikis.has(wiki) || places.has(`${wiki}\n${space}`)
    },
  }
}
