import { matchClauses } from '../permissions/algebra.ts'
import type { CurrentPermission } from '../store/ledger/current-permissions.ts'

/** `unknown`: no ledger knows the document. */
export type Verdict = 'shown' | 'excluded' | 'unknown'

/** `maxAgeHours` is by workflow; null means no limit. */
export type HitCheck = {
  tokensOf(workflowId: string): ReadonlySet<string>
  maxAgeHours: ReadonlyMap<string, number | null>
  now: Date
}

/** Decides by what each ledger says about one document: all fresh ledgers must admit the reader. */
export function checkHit(entries: CurrentPermission[], check: HitCheck): Verdict {
  if (entries.length === 0) return 'unknown'
  const fresh = entries.filter((entry) => isFresh(entry, check))
  return fresh.length > 0 && fresh.every((entry) => admits(entry, check)) ? 'shown' : 'excluded'
}

/** Whether the ledger has proved the permissions within their maximum age. */
export function isFresh(
  { workflowId, provedAt }: Pick<CurrentPermission, 'workflowId' | 'provedAt'>,
  { maxAgeHours, now }: HitCheck,
): boolean {
  const limit = maxAgeHours.get(workflowId)
  if (limit === undefined) return false
  if (limit === null) return true
  return provedAt !== null && now.getTime() - provedAt.getTime() <= limit * HOUR_MS
}

const HOUR_MS = 3_600_000

function admits({ workflowId, hidden, clauses }: CurrentPermission, { tokensOf }: HitCheck): boolean {
  return hidden === null && matchClauses(clauses, tokensOf(workflowId)) !== null
}
