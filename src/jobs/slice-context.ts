import type { Source } from '../connectors/source.ts'
import type { WithCapabilities } from '../connectors/type.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import type { SliceContext } from '../ingest/slice-context.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import type { Database } from '../store/database.ts'
import { type FinishedDocument, openClaims } from '../store/jobs/job-documents.ts'
import type { JobRow } from '../store/jobs/jobs.ts'
import { applyListing, findWanted } from '../store/ledger/wanted.ts'
import { requestPass } from '../store/workflows/permission-schedule.ts'
import { databaseLedger } from './database-ledger.ts'
import { cancelled } from './job-outcome.ts'
import type { JobRun } from './job-run.ts'

/** `fence` is that of the claim; every write takes a later one. */
type ClaimedBy = {
  db: Database
  run: JobRun
  fence: number
  report(outcomes: FinishedDocument[]): Promise<void>
}

/** What a slice of a job needs: permissions are read from the wanted state directly before each write. */
export function sliceContext(
  job: JobRow,
  { db, run, fence, report }: ClaimedBy,
  signal: AbortSignal,
): SliceContext {
  const { source } = run
  const workflowId = job.workflow_id
  return {
    ...run,
    report,
    openLedger: async (recordIds) => {
      signal.throwIfAborted()
      const opened = await openClaims(db, { jobId: job.id, fence }, recordIds)
      const { isActive, hasClaims, lost } = opened
      if (!isActive) throw cancelled(job.id)
      if (!hasClaims) throw new AppError('taken_over', `another task of job ${job.id} has these documents`)
      // A listing showed some of them in another scope; a retry processes the others.
      if (lost > 0) throw new Error(`${lost} documents of the slice moved while it was processed`)
      return databaseLedger(db, { ...run.ledger, fence: opened.fence }, { hides: true, jobId: job.id })
    },
    wanted: async (refs) => {
      const wanted = await findWanted(
        db,
        workflowId,
        refs.map(({ recordId }) => recordId),
      )
      return new Map(
        [...wanted].map(([id, { ref, hidden }]) => [id, hidden ? { ...ref, access: NO_ACCESS } : ref]),
      )
    },
    relist: canRelist(source) ? (refs) => relistDocuments(refs, { db, job, source }, signal) : null,
  }
}

type RelistContext = { db: Database; job: JobRow; source: Source }

/** Reads permissions and versions of some documents and makes them the wanted state. */
export async function relistDocuments(
  refs: DocumentRef[],
  { db, job, source }: RelistContext,
  signal: AbortSignal,
): Promise<Map<string, DocumentRef>> {
  if (!canRelist(source)) return new Map()
  const { refs: current, asOf } = await source.relist(refs, signal)
  const applied = new Map<string, DocumentRef>()
  for (const [scope, inScope] of Map.groupBy(current, (ref) => ref.scope)) {
    const page = { scope, refs: inScope, asOf, relisted: true as const }
    const listed = { page, modeOf: () => 'content' as const, jobId: job.id }
    const { isOutdated, sets } = await applyListing(db, job.workflow_id, listed)
    // Other documents of a changed set wait for a listing.
    if (sets > 0) await requestPass(db, job.workflow_id)
    // A listing that began later has newer permissions.
    if (!isOutdated) for (const ref of inScope) applied.set(ref.recordId, ref)
  }
  return applied
}

function canRelist(source: Source): source is WithCapabilities<Source, 'relist'> {
  return source.relist !== undefined
}
