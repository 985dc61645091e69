import { hideEntries } from '../../ingest/removal.ts'

import { giveUpSlice } from '../../ingest/slice.ts'
import type { DocumentTask } from '../../ingest/slice-context.ts'
import {
  claimUnfinished,
  endUnfinished,
  type FinishedDocument,
  finishDocuments,
  needsWork,
  type UnfinishedDocument,
} from '../../store/jobs/job-documents.ts'
import type { JobRow } from '../../store/jobs/jobs.ts'
import { nextFence } from '../../store/ledger/fences.ts'
import type { JobRun } from '../job-run.ts'
import type { Resources } from '../resources.ts'
import { sliceContext } from '../slice-context.ts'

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
