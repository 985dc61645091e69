import type { Destination } from '../../connectors/destination.ts'
import type { ExpectedElements } from '../../ingest/verify.ts'
import type { Database } from '../../store/database.ts'
import { findLedgerEntries, ledgerEntries, ledgerScopes } from '../../store/ledger/ledger-view.ts'
import { workflowsOfReplacedIndex } from '../../store/ledger/ledgers.ts'

type IndexSelection = { db: Database; workflows: { id: string }[]; destination: Destination }

/** What an index should hold, by the ledgers of the workflows that write it. */
export async function expectedIndex(
  { db, workflows, destination }: IndexSelection,
  signal: AbortSignal,
): Promise<ExpectedElements> {
  const ids = workflows.map(({ id }) => id)
  const siteScopes = new Set((await ledgerScopes(db, ids)).map(({ site, scope }) => `${site}\n${scope}`))
  const identity = await destination.swap?.identity(signal)
  // A replaced index that is used again holds scopes that left every ledger.
  const replaced = identity ? await workflowsOfReplacedIndex(db, ids, identity) : []
  const replacedSites = new Set((await ledgerScopes(db, replaced)).map(({ site }) => site))
  return {
    entries: () => ledgerEntries(db, ids),
    find: (recordIds) => findLedgerEntries(db, ids, recordIds),
    // Another writer of this site, such as the command line, has other scopes.
    isOurs: ({ recordId, scopeKey: scope }) => {
      const site = recordId.replace(/\/[^/]*$/, '')
      return replacedSites.has(site) || siteScopes.has(`${site}\n${scope}`)
    },
  }
}
