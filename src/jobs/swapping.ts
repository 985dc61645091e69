import type { Destination } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import { needsApproval } from '../ingest/removal.ts'
import type { Database } from '../store/database.ts'
import { countDocuments } from '../store/documents.ts'
import { addWarning, type JobRow, setHeldBack } from '../store/jobs.ts'
import {
  abandonedLedgers,
  countElements,
  countLeft,
  dropLedger,
  hasOtherSettings,
  openLedger,
  pinLedger,
  promoteLedger,
} from '../store/ledgers.ts'
import { troublesOf } from './ending.ts'

/** The index a run writes, and the ledger of what is in it. */
export type Place = { identity: string; ledgerId: string }
type Choosing = {
  db: Database
  destination: Destination
  dims: number | null
  /** The settings' hash for an index of this identity. */
  hashFor(identity: string): string
}

/**
 * Mostly the index that is there. A workflow may ask for swaps: where everything would have to be worked again, it
 * goes into a new index behind the same alias, and people go on searching the old one until the new one is whole.
 */
export async function choosePlace(job: JobRow, choosing: Choosing, signal: AbortSignal): Promise<Place> {
  const { db, destination, dims } = choosing
  const inPlace = async () => {
    const { identity } = await destination.prepare({ dims }, signal)
    return { identity, ledgerId: job.workflow_id }
  }
  if (!job.settings.swap_index) return inPlace()
  const wanted = job.ledger_id ?? ((await mustSwap(job, choosing, signal)) ? job.id : job.workflow_id)
  const ledgerId = await pinLedger(db, job.id, wanted)
  if (ledgerId === job.workflow_id) return inPlace()
  await refuseShared(job, { db, destination }, signal)
  await clearAbandoned(job, { db, destination }, signal)
  await openLedger(db, { id: job.id, workflowId: job.workflow_id })
  const { identity } = await destination.stage(suffixOf(job.id), { dims }, signal)
  return { identity, ledgerId }
}

export function isSwap(job: JobRow, ledgerId: string): boolean {
  return ledgerId === job.id
}

/**
 * Puts the new index in the place of the old one, if it is whole. Otherwise people go on with the old one, and the
 * job says so. Answers whether it did.
 */
export async function swap(
  job: JobRow,
  { db, destination, approved }: { db: Database; destination: Destination; approved: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const { troubled } = await troublesOf(db, job)
  if (troubled && !approved) {
    await addWarning(db, job.id, {
      code: 'swap_not_done',
      message: 'the new index is not whole, so that searches go on in the old one; the next run begins anew',
    })
    return false
  }
  const left = await countLeft(db, job.workflow_id, job.id)
  if (!approved && needsApproval(left, await countDocuments(db, job.workflow_id))) {
    await setHeldBack(db, job.id, left)
    await addWarning(db, job.id, {
      code: 'deletions_held_back',
      message: `${left} documents of the old index are not in the new one, more than may leave at once unasked; POST /api/v1/jobs/${job.id}/approve-deletions puts it in place`,
      documents: left,
    })
    return false
  }
  await refuseShared(job, { db, destination }, signal)
  const { replaced } = await destination.promote(suffixOf(job.id), signal)
  await promoteLedger(db, { jobId: job.id, workflowId: job.workflow_id })
  if (replaced)
    await addWarning(db, job.id, {
      code: 'index_swapped',
      message: `the new index is in place; the old one, ${replaced}, is kept until it is deleted`,
    })
  return true
}

/** What others have written into the old index would not be in the new one. */
async function refuseShared(
  job: JobRow,
  { db, destination }: { db: Database; destination: Destination },
  signal: AbortSignal,
): Promise<void> {
  const current = (await destination.generations(signal)).find(({ isCurrent }) => isCurrent)
  const others = (current?.elements ?? 0) - (await countElements(db, job.workflow_id))
  if (!current || current.name.endsWith(`-${suffixOf(job.id)}`) || others <= 0) return
  throw new AppError(
    'destination_schema',
    `the index ${current.name} holds ${others} elements that this workflow has not written, and a swap would lose them`,
    { fix: 'Give the workflow an index of its own, or switch swap_index off' },
  )
}

async function mustSwap(
  job: JobRow,
  { db, destination, dims, hashFor }: Choosing,
  signal: AbortSignal,
): Promise<boolean> {
  // Nothing is there yet: there is nobody to keep an old index for.
  if ((await countDocuments(db, job.workflow_id)) === 0) return false
  if (job.settings.reprocess_all) return true
  try {
    const { identity } = await destination.prepare({ dims }, signal)
    return await hasOtherSettings(db, job.workflow_id, hashFor(identity))
  } catch (error) {
    // Vectors of another width do not go into the index that is there, and need not.
    if (error instanceof AppError && error.code === 'destination_schema') return true
    throw error
  }
}

/** What a run left that failed or was stopped; it was never searched. */
async function clearAbandoned(
  job: JobRow,
  { db, destination }: { db: Database; destination: Destination },
  signal: AbortSignal,
): Promise<void> {
  for (const id of await abandonedLedgers(db, job.workflow_id)) {
    if (id === job.id) continue
    await destination.discard(suffixOf(id), signal)
    await dropLedger(db, id)
  }
}

/** Short, and the same whoever asks. */
function suffixOf(jobId: string): string {
  return jobId.replaceAll('-', '').slice(0, 12)
}
