import type { DecisionStore, KeptDecision } from '../../connectors/type.ts'
import type { DecisionChange } from './state-lines.ts'

/** The decisions of the source in the state file; `add` writes a change. */
export type StateDecisions = DecisionStore & {
  record(change: DecisionChange): void
  /** Everything that is kept, one change for each scope. */
  all(): DecisionChange[]
}

type StoredDecision = DecisionChange['put'][number]

export function createStateDecisions(add: (change: DecisionChange) => Promise<void>): StateDecisions {
  const kept = new Map<string, Map<string, StoredDecision>>()
  return {
    record: ({ scope, put, drop }) => {
      const rows = kept.get(scope) ?? new Map()
      kept.set(scope, rows)
      for (const key of drop) rows.delete(key)
      for (const row of put) rows.set(row.key, row)
    },
    all: () => [...kept].map(([scope, rows]) => ({ scope, put: [...rows.values()], drop: [] })),
    read: async (scope) =>
      [...(kept.get(scope)?.values() ?? [])].map(
        ({ checkedAt, ...rest }): KeptDecision => ({ ...rest, checkedAt: new Date(checkedAt) }),
      ),
    write: (scope, { put, drop }) =>
      add({ scope, drop, put: put.map((row) => ({ ...row, checkedAt: row.checkedAt.toISOString() })) }),
  }
}
