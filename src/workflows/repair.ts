import type { Destination } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import { needsApproval } from '../ingest/removal.ts'
import { type Finding, type VerifyResult, verify } from '../ingest/verify.ts'
import type { TaskQueue } from '../jobs/engine.ts'
import { expectedIndex } from '../jobs/expected-index.ts'
import type { Database } from '../store/database.ts'
import { activeJobOf, type JobRow } from '../store/jobs/jobs.ts'
import { nextFence } from '../store/ledger/fences.ts'
import { unsettleDocuments, unsettledRecords } from '../store/ledger/ledger-view.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'
import { startJob } from './start.ts'

/** An index cannot be compared while a run writes it. */
export async function refuseWhileRunning(db: Database, workflows: WorkflowRow[]): Promise<void> {
  for (const { id, name } of workflows) {
    const active = await activeJobOf(db, id)
    if (!active) continue
    throw new AppError('job_active', `the workflow "${name}" is writing this index as job ${active}`, {
      fix: 'Wait for it or cancel it',
    })
  }
}

/** An inactive workflow cannot run, so it cannot repair. */
export function refuseInactive(workflows: WorkflowRow[]): void {
  const inactive = workflows.find(({ state }) => state === 'inactive')
  if (!inactive) return
  throw new AppError('not_possible', `the workflow "${inactive.name}" is inactive`, {
    fix: 'Activate it first',
  })
}

/** Throws if a removal needs approval. */
export async function refuseLargeRemoval(
  { workflows, destination }: { workflows: WorkflowRow[]; destination: Destination },
  db: Database,
  signal: AbortSignal,
): Promise<void> {
  const extra = new Set<string>()
  const found = ({ kind, recordId }: Finding) => {
    if (kind === 'extra') extra.add(recordId)
  }
  const expected = await expectedIndex({ db, workflows, destination }, signal)
  const { scopes } = await verify({ expected, destination, found }, signal)
  const known = scopes.reduce((sum, { documents }) => sum + documents, 0)
  if (!needsApproval(extra.size, known + extra.size)) return
  throw new AppError(
    'not_possible',
    `the index holds elements of ${extra.size} documents that no run of this workflow wrote; removing that many needs approval`,
    { fix: 'Look at them with verify, and send {"approve_deletions": true} to remove them' },
  )
}

/** What was done, also after a failure. */
export type Repairing = { removed: number; jobs: JobRow[] }

/**
 * Removes extra elements, and starts a job for documents that differ. A run that starts meanwhile is safe: it notes its
 * writes first, and the ledger is read after the index.
 */
export async function repair(
  {
    workflows,
    destination,
    startedBy,
  }: { workflows: WorkflowRow[]; destination: Destination; startedBy: string },
  { db, engine, done }: { db: Database; engine: TaskQueue; done: Repairing },
  signal: AbortSignal,
): Promise<VerifyResult> {
  const ids = workflows.map(({ id }) => id)
  const found = async ({ kind, recordId, elementIds }: Finding) => {
    if (kind !== 'extra') return unsettleDocuments(db, ids, [recordId])
    await destination.remove([{ recordId, elementIds }], await nextFence(db), signal)
    done.removed += elementIds.length
  }
  const expected = await expectedIndex({ db, workflows, destination }, signal)
  const verdict = await verify({ expected, destination, found }, signal)
  for (const workflow of workflows) {
    if ((await unsettledRecords(db, workflow.id)).size === 0) continue
    done.jobs.push(
      await startJob(workflow, { jobType: 'persistent', startedBy, repair: true }, { db, engine }),
    )
  }
  return verdict
}
