import type { Destination } from '../connectors/connector.ts'
import type { Expected } from '../ingest/verify.ts'
import type { Database } from '../store/database.ts'
import { findKnown, knownDocuments, knownScopes } from '../store/ledger/ledger-view.ts'
import { replacedBy } from '../store/swaps/swaps.ts'

type Compared = { db: Database; workflows: { id: string }[]; destination: Destination }

/** What an index should hold, by the ledgers of the workflows that write it. */
export async function expectedIndex(
  { db, workflows, destination }: Compared,
  signal: AbortSignal,
): Promise<Expected> {
  const ids = workflows.map(({ id }) => id)
  const places = new Set((await knownScopes(db, ids)).map(({ site, scope }) => `${site}\n${scope}`))
  const identity = await destination.swap?.identity(signal)
  // A replaced index that is used again holds scopes that left every ledger.
  const replaced = identity ? await replacedBy(db, ids, identity) : []
  const sites = new Set((await knownScopes(db, replaced)).map(({ site }) => site))
  return {
    entries: () => knownDocuments(db, ids),
    find: (recordIds) => findKnown(db, ids, recordIds),
    // Another writer of this site, such as the command line, has other scopes.
    isOurs: ({ recordId, scopeKey: scope }) => {
      const site = recordId.replace(/\/[^/]*$/, '')
      return sites.has(site) || places.has(`${site}\n${scope}`)
    },
  }
}
