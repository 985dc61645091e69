import type { Database } from '../store/database.ts'
import { currentPermissions } from '../store/ledger/current-permissions.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'
import { checkHit, type HitCheck, type Verdict } from './hit-check.ts'
import type { IndexReader } from './memberships.ts'

type TokenReader = Pick<IndexReader, 'tokens' | 'tokensIn'>

/** Checks documents against the ledgers of all workflows, in one statement. */
export function ledgerCheck(db: Database, workflows: WorkflowRow[], reader: TokenReader) {
  const workflowIds = workflows.map(({ id }) => id)
  const rules = checkRules(workflows, reader)
  return async (recordIds: string[]): Promise<Map<string, Verdict>> => {
    const entries = await currentPermissions(db, workflowIds, recordIds)
    const byRecord = Map.groupBy(entries, ({ recordId }) => recordId)
    const check = { ...rules, now: new Date() }
    return new Map(recordIds.map((id) => [id, checkHit(byRecord.get(id) ?? [], check)]))
  }
}

/** Each ledger is checked with the tokens of its own site. */
export function checkRules(workflows: WorkflowRow[], reader: TokenReader): Omit<HitCheck, 'now'> {
  const tokens = new Map(
    workflows.map(({ id, source_id: sourceId }) => [
      id,
      new Set(sourceId ? reader.tokensIn(sourceId) : reader.tokens),
    ]),
  )
  const tokensOf = (workflowId: string) => tokens.get(workflowId) ?? new Set<string>()
  const maxAgeHours = new Map(workflows.map(({ id, max_permission_age_hours: hours }) => [id, hours]))
  return { tokensOf, maxAgeHours }
}
