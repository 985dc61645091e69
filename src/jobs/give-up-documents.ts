import { hideEntries } from '../ingest/removal.ts'

import { hideOldReleaseText, isDestinationError, oldReleaseTextWarning } from '../ingest/revoke-access.ts'

import { giveUpSlice } from '../ingest/slice.ts'
import type { DocumentTask } from '../ingest/slice-context.ts'
import type { Entry } from '../ledger-entry.ts'
import {
  claimUnfinished,
  endUnfinished,
  type FinishedDocument,
  finishDocuments,
  needsWork,
  type UnfinishedDocument,
} from '../store/jobs/job-documents.ts'
import { addWarning, isActive, type JobRow } from '../store/jobs/jobs.ts'
import { oldReleaseTextDocuments } from '../store/ledger/documents.ts'
import { nextFence } from '../store/ledger/fences.ts'
import type { Connections } from './connections.ts'
import { databaseLedger } from './database-ledger.ts'
import { failJob } from './job-outcome.ts'
import { isPartial, type JobRun } from './job-run.ts'
import type { Resources } from './resources.ts'
import { sliceContext } from './slice-context.ts'

type Reason = { code: string; message: string }
type GiveUpOptions = { resources: Resources; run: JobRun; task?: string; error: Reason }

/** Fails the documents that a task claimed, or all that are left. Hides those with old or uncertain permissions. */
export async function giveUpDocuments(
  job: JobRow,
  { resources: { db }, run, task, error }: GiveUpOptions,
  signal: AbortSignal,
): Promise<void> {
  const fence = await nextFence(db)
  const where = { jobId: job.id, ...(task === undefined ? {} : { task }) }
  const unfinished = await claimUnfinished(db, where, fence)
  const report = (outcomes: FinishedDocument[]) => finishDocuments(db, { jobId: job.id, fence }, outcomes)
  const context = sliceContext(job, { db, run, fence, report }, signal)
  await giveUpSlice(unfinished.flatMap(toTasks), { context, error }, signal)
  // Listed in two scopes, so it is uncertain which permissions are right.
  const withoutTask = unfinished.filter((document) => toTasks(document).length === 0)
  const recordIds = withoutTask.map(({ recordId }) => recordId)
  if (recordIds.length > 0) {
    const openLedger = () => context.openLedger(recordIds)
    const known = await (await openLedger()).find(recordIds)
    await hideEntries([...known.values()], { openLedger, destination: run.destination }, signal)
  }
  await endUnfinished(db, where, { state: 'failed', ...error })
}

function toTasks({ ref, kind }: UnfinishedDocument): DocumentTask[] {
  if (!ref || !needsWork(kind)) return []
  // `needsWork` above excludes the other kinds.
  return [{ ref, kind: kind as DocumentTask['kind'] }]
}

type FailContext = { resources: Resources; connections: Connections }

/** Fails a job, after hiding what an earlier release of Millrace wrote: it may contain text of other pages. */
export async function failJobAndHideOldReleaseText(
  job: JobRow,
  { error, resources, connections }: FailContext & { error: unknown },
  signal: AbortSignal,
): Promise<void> {
  if (!isDestinationError(error))
    await hideOldReleaseTextOfJob(job, { resources, connections }, signal).catch((failed: unknown) =>
      resources.log.warn({ job_id: job.id, err: failed }, 'hiding documents of an earlier release failed'),
    )
  await failJob(resources, job.id, error)
}

/** Opens only the index, because the other connectors of the run might fail to open. */
async function hideOldReleaseTextOfJob(
  job: JobRow,
  { resources: { db }, connections }: FailContext,
  signal: AbortSignal,
): Promise<void> {
  const { destination_id: destinationId } = job.settings
  if (isPartial(job) || destinationId === null || !(await isActive(db, job.id))) return
  const owner = { workflowId: job.workflow_id }
  const destination = await connections.openDestination(destinationId)
  try {
    const openLedger = async () => databaseLedger(db, { ...owner, fence: await nextFence(db) })
    const hide = (entries: Entry[]) => hideEntries(entries, { openLedger, destination }, signal)
    const documents = await hideOldReleaseText(oldReleaseTextDocuments(db, owner), hide, signal)
    if (documents > 0) await addWarning(db, job.id, oldReleaseTextWarning(documents))
  } finally {
    await destination.close()
  }
}
