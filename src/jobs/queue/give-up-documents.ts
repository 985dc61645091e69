import { giveUpSlice } from '../../ingest/slice.ts'
import type { DocumentTask } from '../../ingest/slice-context.ts'
import { split } from '../../ingest/split.ts'
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
  const [listed, uncertain] = split(unfinished, (document) => toTasks(document).length > 0)
  const left = { tasks: listed.flatMap(toTasks), uncertain: uncertain.map(({ recordId }) => recordId) }
  await giveUpSlice(left, { context, error }, signal)
  await endUnfinished(db, where, { state: 'failed', ...error })
}

function toTasks({ ref, kind }: UnfinishedDocument): DocumentTask[] {
  if (!ref || !needsWork(kind)) return []
  // `needsWork` above excludes the other kinds.
  return [{ ref, kind: kind as DocumentTask['kind'] }]
}
