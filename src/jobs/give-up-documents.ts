import { FRESH_MS } from '../ingest/relist-limits.ts'
import { isOfDestination, oldTextHidden, revokeAccess, revokeOldText } from '../ingest/revoke-access.ts'
import { giveUpSlice } from '../ingest/slice.ts'
import type { DocumentTask, SliceContext } from '../ingest/slice-context.ts'
import {
  endUnfinished,
  finishDocuments,
  type GivenUp,
  needsWork,
  takeGivenUp,
} from '../store/jobs/job-documents.ts'
import { addWarning, isActive, type JobRow } from '../store/jobs/jobs.ts'
import { oldTextDocuments } from '../store/ledger/documents.ts'
import { nextFence } from '../store/ledger/fences.ts'
import type { Connections } from './connections.ts'
import { databaseLedger } from './database-ledger.ts'
import { cancelled, failJob } from './job-outcome.ts'
import { isPartial, type JobRun } from './job-run.ts'
import type { Resources } from './resources.ts'

type Reason = { code: string; message: string }
type GivingUp = { resources: Resources; run: JobRun; slice?: number; error: Reason }

/** Fails the documents of a slice, or all that are left. Hides those with old or uncertain permissions. */
export async function giveUpDocuments(
  job: JobRow,
  { resources: { db }, run, slice, error }: GivingUp,
  signal: AbortSignal,
): Promise<void> {
  const fence = await nextFence(db)
  const where = { jobId: job.id, ...(slice === undefined ? {} : { slice }) }
  const given = await takeGivenUp(db, where, fence)
  const ledger = databaseLedger(db, { ...run.ledger, fence })
  const beforeWrite = async () => {
    if (!(await isActive(db, job.id))) throw cancelled(job.id)
  }
  const context: SliceContext = {
    ...run,
    ledger,
    beforeWrite,
    report: (outcomes) => finishDocuments(db, { jobId: job.id, fence }, outcomes),
  }
  await giveUpSlice(given.flatMap(asTask), { context, error }, signal)
  const uncertain = given.filter((document) => asTask(document).length === 0)
  const known = await ledger.find(uncertain.map(({ recordId }) => recordId))
  await beforeWrite()
  await revokeAccess([...known.values()], { ledger, destination: run.destination }, signal)
  await endUnfinished(db, where, { state: 'failed', ...error })
}

function asTask({ ref, kind, seenAt }: GivenUp): DocumentTask[] {
  if (!ref || !needsWork(kind)) return []
  // `needsWork` above excludes the other kinds.
  return [{ ref, kind: kind as DocumentTask['kind'], until: new Date(seenAt.getTime() + FRESH_MS) }]
}

type FailContext = { resources: Resources; connections: Connections }

/** Fails a job, after hiding text of an earlier release. */
export async function failRun(
  job: JobRow,
  { error, resources, connections }: FailContext & { error: unknown },
  signal: AbortSignal,
): Promise<void> {
  if (!isOfDestination(error))
    await hideOldText(job, { resources, connections }, signal).catch((failed: unknown) =>
      resources.log.warn({ job_id: job.id, err: failed }, 'hiding old text failed'),
    )
  await failJob(resources, job.id, error)
}

/** Opens only the index, because the other connectors of the run may not open. */
async function hideOldText(
  job: JobRow,
  { resources: { db }, connections }: FailContext,
  signal: AbortSignal,
): Promise<void> {
  const { destination_id: destinationId } = job.settings
  if (isPartial(job) || destinationId === null || !(await isActive(db, job.id))) return
  const owner = { workflowId: job.workflow_id }
  const destination = await connections.openDestination(destinationId)
  try {
    const ledger = databaseLedger(db, { ...owner, fence: await nextFence(db) })
    const documents = await revokeOldText(oldTextDocuments(db, owner), { ledger, destination }, signal)
    if (documents > 0) await addWarning(db, job.id, oldTextHidden(documents))
  } finally {
    await destination.close()
  }
}
