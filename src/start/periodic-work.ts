import { sendDueDeliveries } from '../jobs/notifications/deliver.ts'
import { recordProgressEvents } from '../jobs/notifications/progress-events.ts'
import { pruneTurns } from '../jobs/queue/fair-queue.ts'
import { recoverJobs } from '../jobs/queue/recover-jobs.ts'
import { removeAgain } from '../jobs/repeat-removals.ts'
import { reconcileAbandoned } from '../jobs/swap/end-swap.ts'
import { pruneAudit } from '../store/accounts/audit-log.ts'
import { deleteClosedWorkspaces } from '../store/accounts/delete-workspace.ts'
import { pruneModelTokens } from '../store/accounts/model-tokens.ts'
import { pruneExpiredSessions } from '../store/accounts/people.ts'
import { prunePrincipalNames } from '../store/connectors/principal-names.ts'
import { pruneMemberships } from '../store/connectors/stored-memberships.ts'
import { pruneCounts } from '../store/counts/shared-counts.ts'
import type { Database } from '../store/database.ts'
import { pruneDeletedRows } from '../store/deleted-rows.ts'
import {
  pruneDeletedWorkflows,
  pruneOldJobs,
  pruneOldPasses,
  pruneOldRuns,
  pruneRates,
} from '../store/jobs/old-runs.ts'
import { pruneUploads } from '../store/jobs/uploads.ts'
import { pruneVectors } from '../store/ledger/embeddings.ts'
import { pruneAnswers } from '../store/ledger/model-answers.ts'
import { reportOldPermissions } from '../store/notifications/conditions.ts'
import { pruneNotifications } from '../store/notifications/feed.ts'
import { startDueRuns } from '../workflows/due-runs.ts'
import { keepPermissionsFresh, sendUnwritten } from '../workflows/permission-passes.ts'
import type { Parts } from './resources.ts'

type WorkContext = Parts & { db: Database; auditDays: number }

/** Work that a worker repeats. */
type PeriodicWork = {
  pollMs: number
  /** One process at a time; the database remembers the last run under this name, across restarts. */
  once?: { name: string; everyMs: number }
  work(context: WorkContext): Promise<void>
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 24 * 60 * MINUTE_MS
const RECONCILE_MS = 5 * MINUTE_MS
// Permissions that were written too late are corrected after this time.
const FRESHNESS_MS = 5 * SECOND_MS
// Half, because timers drift.
const EACH_MINUTE = MINUTE_MS / 2
const EACH_TEN_MINUTES = 10 * MINUTE_MS

/** The names are stored, so they outlive the functions. */
export const periodicWork: PeriodicWork[] = [
  { pollMs: 5 * SECOND_MS, work: startDueRuns },
  { pollMs: 15 * SECOND_MS, work: recoverJobs },
  // Separate from `recoverJobs`, so that a hanging cluster does not delay jobs.
  {
    pollMs: 15 * SECOND_MS,
    work: (context) => reconcileAbandoned(context, AbortSignal.timeout(RECONCILE_MS)),
  },
  { pollMs: FRESHNESS_MS, work: keepPermissionsFresh },
  { pollMs: FRESHNESS_MS, work: sendUnwritten },
  // How long an event waits for its first delivery.
  { pollMs: 2 * SECOND_MS, work: sendDueDeliveries },
  {
    pollMs: 15 * SECOND_MS,
    once: { name: 'removeAgain', everyMs: 7.5 * SECOND_MS },
    work: (context) => removeAgain(context, AbortSignal.timeout(RECONCILE_MS)),
  },
  {
    pollMs: FRESHNESS_MS,
    once: { name: 'deleteClosedWorkspaces', everyMs: FRESHNESS_MS / 2 },
    work: ({ db }) => deleteClosedWorkspaces(db),
  },
  cleanup('pruneDeletedRows', EACH_MINUTE, pruneDeletedRows),
  cleanup('pruneOldRuns', EACH_MINUTE, pruneOldRuns),
  cleanup('pruneOldPasses', EACH_MINUTE, pruneOldPasses),
  cleanup('pruneUploads', EACH_MINUTE, pruneUploads),
  cleanup('pruneOldJobs', EACH_TEN_MINUTES, pruneOldJobs),
  cleanup('pruneDeletedWorkflows', EACH_TEN_MINUTES, pruneDeletedWorkflows),
  cleanup('pruneVectors', DAY_MS, pruneVectors),
  cleanup('pruneAnswers', DAY_MS, pruneAnswers),
  cleanup('pruneModelTokens', DAY_MS, pruneModelTokens),
  cleanup('pruneExpiredSessions', DAY_MS, pruneExpiredSessions),
  cleanup('pruneRates', DAY_MS, pruneRates),
  cleanup('pruneCounts', EACH_TEN_MINUTES, pruneCounts),
  cleanup('pruneTurns', DAY_MS, pruneTurns),
  cleanup('pruneMemberships', DAY_MS, pruneMemberships),
  cleanup('prunePrincipalNames', DAY_MS, prunePrincipalNames),
  cleanup('pruneNotifications', EACH_TEN_MINUTES, pruneNotifications),
  {
    pollMs: MINUTE_MS,
    once: { name: 'pruneAuditLog', everyMs: EACH_TEN_MINUTES },
    work: ({ db, auditDays }) => pruneAudit(db, { days: auditDays }),
  },
  {
    pollMs: FRESHNESS_MS,
    once: { name: 'reportOldPermissions', everyMs: EACH_MINUTE },
    work: ({ db }) => reportOldPermissions(db),
  },
  {
    pollMs: FRESHNESS_MS,
    once: { name: 'recordProgressEvents', everyMs: 30 * SECOND_MS },
    work: ({ db }) => recordProgressEvents(db),
  },
]

function cleanup(name: string, everyMs: number, work: (db: Database) => Promise<void>): PeriodicWork {
  return { pollMs: MINUTE_MS, once: { name, everyMs }, work: ({ db }) => work(db) }
}
