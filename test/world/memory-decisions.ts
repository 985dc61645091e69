import type { DecisionStore, KeptDecision } from '../../src/connectors/type.ts'

/** What a source keeps between listings, in memory. */
export function memoryDecisions(): DecisionStore {
  const kept = new Map<string, Map<string, KeptDecision>>()
  return {
    read: async (scope) => [...(kept.get(scope)?.values() ?? [])],
    write: async (scope, { put, drop }) => {
      const rows = kept.get(scope) ?? new Map<string, KeptDecision>()
      kept.set(scope, rows)
      for (const key of drop) rows.delete(key)
      for (const row of put) rows.set(row.key, structuredClone(row))
    },
  }
}
