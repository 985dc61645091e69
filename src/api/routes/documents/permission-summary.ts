import { levelChain } from '../../../permissions/levels.ts'
import { ANONYMOUS, AUTHENTICATED, LICENSED } from '../../../permissions/principals.ts'
import type { DocumentInWorkflow } from '../../../store/ledger/known-documents.ts'
import type { HiddenReason } from '../../../store/schema.ts'
import type { WorkflowRow } from '../../../store/workflows/workflows.ts'
import type { WorkflowDocument } from '../../shapes/document.ts'
import { freshnessStatus } from '../workflows/workflow-freshness.ts'

type Summary = WorkflowDocument['permissions']

/** Who can read a document by its last permissions. */
export function permissionSummary(workflow: WorkflowRow, found: DocumentInWorkflow): Summary {
  const { wanted, proved_at: provedAt } = found
  const state = freshness(workflow, found)
  if (!wanted)
    return {
      ...state,
      levels: [],
      people: null,
      groups: null,
      everyone: null,
      readers: null,
      checked_at: provedAt?.toISOString() ?? null,
    }
  return {
    ...state,
    levels: levelChain(wanted.levels, wanted.ref).map(({ isRestricted, ...level }) => ({
      ...level,
      restricted: level.level === 'space' ? !wanted.is_open : isRestricted,
    })),
    people: wanted.people,
    groups: wanted.groups,
    everyone: widestClass(wanted),
    readers: { people: wanted.first_people, groups: wanted.first_groups },
    checked_at: (provedAt ?? new Date(wanted.as_of)).toISOString(),
  }
}

const HIDDEN_REASONS: Record<HiddenReason, string> = {
  unlisted: 'The newest listing of the source did not find it.',
  unreadable: 'The source did not let the service read it.',
  unproved: 'No listing has proved its permissions, or none since the source changed.',
  stale: 'Its permissions were not read for longer than the workflow allows.',
}

function freshness(
  workflow: WorkflowRow,
  { wanted, proved_at: provedAt }: DocumentInWorkflow,
): Pick<Summary, 'status' | 'reason'> {
  if (wanted?.hidden) return { status: 'hidden', reason: HIDDEN_REASONS[wanted.hidden] }
  if (wanted?.is_closed)
    return { status: 'hidden', reason: 'Its permissions could not be proved, so they grant no access.' }
  if (!provedAt) {
    const isLimited = workflow.max_permission_age_hours !== null
    return {
      status: 'never',
      reason: isLimited ? 'No listing has reached the end of its space yet.' : null,
    }
  }

  const seconds = Math.max(0, (Date.now() - provedAt.getTime()) / 1000)
  const status = freshnessStatus(seconds, workflow)
  return { status, reason: status === 'hidden' ? HIDDEN_REASONS.stale : null }
}

/** The class that admits most people, of those that pass every level. */
function widestClass({ classes, class_tokens: tokens }: NonNullable<DocumentInWorkflow['wanted']>) {
  const widest = [ANONYMOUS, AUTHENTICATED, LICENSED].find((name) => classes.includes(name)) ?? classes[0]
  if (widest === undefined) return null
  // Other sites' classes carry their site in a token.
  return (
    tokens.find((token) => token === `class:${widest}` || token.endsWith(`/${widest}`)) ?? `class:${widest}`
  )
}
