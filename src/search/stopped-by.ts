import { type RestrictedLevel, restrictedLevels } from '../permissions/levels.ts'
import { principalIds } from '../permissions/principals.ts'
import { siteOfRecord } from '../record-id.ts'
import type { DocumentLevels } from '../store/ledger/document-levels.ts'
import { type HitCheck, isFresh } from './hit-check.ts'
import { firstPrincipals, ruleText } from './principals.ts'
import type { LabDocument } from './shapes/lab.ts'

type PersonStatus = LabDocument['people'][number]

export const FOUND_STATUS: PersonStatus = { status: 'found', stopped_by: null }
export const HIDDEN_STATUS: PersonStatus = { status: 'hidden', stopped_by: null }
const STOPPED_STATUS: PersonStatus = { status: 'stopped', stopped_by: null }

/** Why search excludes a document for a reader: the first level that does not admit them. */
export function stoppedStatus(ledgers: DocumentLevels[], check: HitCheck): PersonStatus {
  const fresh = ledgers.filter((ledger) => isFresh(ledger, check))
  if (ledgers.length > 0 && fresh.length === 0) return HIDDEN_STATUS
  if (fresh.some(({ hidden }) => hidden !== null)) return HIDDEN_STATUS
  for (const ledger of fresh) {
    const tokens = check.tokensOf(ledger.workflowId)
    const levels = restrictedLevels(ledger.levels, ledger.ref)
    const level = levels.find(({ who }) => !who.some((token) => tokens.has(token)))
    if (level) return stoppedAt(level, ledger)
  }
  return STOPPED_STATUS
}

function stoppedAt(
  { level, id, title, who }: RestrictedLevel,
  { recordId, asOf }: DocumentLevels,
): PersonStatus {
  if (id === null) return STOPPED_STATUS
  return {
    status: 'stopped',
    stopped_by: {
      level,
      id,
      title,
      rule: ruleText(who),
      principals: firstPrincipals(principalIds(who, siteOfRecord(recordId))),
      as_of: asOf.toISOString(),
    },
  }
}
