import type { Database } from '../store/database.ts'
import { type HiddenScope, hiddenScopes } from '../store/ledger/current-permissions.ts'
import type { SearchResults } from './shapes/search.ts'

/** `visibleTo` are the tokens of a person who sees only scopes that they had access to; null for all scopes. */
export async function hiddenFrom(
  db: Database,
  workflowIds: string[],
  visibleTo: string[] | null,
): Promise<SearchResults['hidden']> {
  return (await hiddenScopes(db, workflowIds, visibleTo)).map(toHidden)
}

function toHidden({ proved_at: provedAt, ...scope }: HiddenScope) {
  return { ...scope, proved_at: provedAt?.toISOString() ?? null }
}
