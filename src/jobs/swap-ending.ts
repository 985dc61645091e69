import type { Destination } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import { isInIndex, leaving, needsApproval } from '../ingest/removal.ts'
import type { Entry } from '../ledger-entry.ts'
import { saysIncomplete } from '../report.ts'
import { readConnector } from '../store/connectors.ts'
import type { Database } from '../store/database.ts'
import { countDocuments, unseenDocuments } from '../store/documents.ts'
import { nextFence } from '../store/fences.ts'
import { deferMoved } from '../store/job-documents.ts'
import { addWarning, isActive, type JobRow } from '../store/jobs.ts'
import {
  abandonedSwaps,
  countUnwritten,
  dropSwap,
  promoteLedger,
  readSwap,
  readSwapOf,
  type SwapRow,
} from '../store/swaps.ts'
import { withWorkflowLock } from '../store/workflow-lock.ts'
import type { Connections } from './connections.ts'
import { cancelled, troublesOf } from './ending.ts'
import { databaseLedger } from './ledger.ts'
import type { Resources } from './resources.ts'
import type { Run } from './runs.ts'
import { refuseOtherWriters, refuseStrangers } from './swap-refusals.ts'
import type { Staged } from './swapping.ts'

/** A request for the cluster's state; a run that is being stopped does not break it off half-way. */
const MOVE_MS = 120_000

type Finishing = { resources: Resources; run: Run; swap: Staged; mayLook: boolean }

/**
 * Puts the new index in the place of the old one, if it is complete. Otherwise it is discarded, the job says why, and
 * people go on with the old one. Everything here can be done again from any point.
 */
export async function finishSwap(
  job: JobRow,
  { resources, run, swap, mayLook }: Finishing,
  signal: AbortSignal,
): Promise<'again' | 'ended'> {
  const { db } = resources
  const { row, swapping, searched } = swap
  // Whoever moved the alias may have died before it could say so.
  if ((await swapping.identity(signal)) !== row.index_uuid) {
    const lacking = await lack(job, { resources, run, swap, mayLook }, signal)
    if (lacking === 'again') return 'again'
    const refusal = lacking ?? (await move(job, { db, swap, searched }, signal))
    if (refusal) await end(resources, row, { why: refusal, destination: searched })
    return 'ended'
  }
  await withWorkflowLock(db, row.workflow_id, (locked) => promoteLedger(locked, row.job_id))
  return 'ended'
}

/** Why the new index must not take the place of the old one; null where it may. */
async function lack(
  job: JobRow,
  { resources: { db }, run, mayLook }: Finishing,
  signal: AbortSignal,
): Promise<string | null> {
  const { now, counts } = await troublesOf(db, job)
  if (!now.complete) return 'the wiki was not listed to its end'
  if (saysIncomplete(now.warnings)) return 'not all of the wiki could be listed'
  if (counts.failed > 0) return `${counts.failed} ${counts.failed === 1 ? 'document' : 'documents'} failed`
  const unwritten = await countUnwritten(db, job.id)
  if (unwritten > 0) return `${unwritten} documents are not in the new index as they should be`

  const listing = { closed: new Map(Object.entries(now.closed_scopes)), complete: true }
  const asking = { source: run.source, signal }
  const workflowId = job.workflow_id
  const missed: Entry[] = []
  let leavingIndex = 0
  let byLimit = 0
  let unspoken = 0
  for await (const unseen of unseenDocuments(db, { workflowId }, job.id)) {
    const left = await leaving(unseen, listing, asking)
    leavingIndex += left.entries.filter(isInIndex).length
    byLimit += left.byLimit
    missed.push(...left.missed.filter(isInIndex))
    unspoken += unseen.filter(isInIndex).length - [...left.entries, ...left.missed].filter(isInIndex).length
  }
  // What this run itself wrote and then did not see any more, since it left or moved while the run went on.
  const gone: Entry[] = []
  for await (const unseen of unseenDocuments(db, run.ledger, job.id)) {
    const left = await leaving(unseen, listing, asking)
    gone.push(...left.entries)
    missed.push(...left.missed.filter(isInIndex))
  }
  if (missed.length > 0 && mayLook) {
    await deferMoved(db, job.id, [...new Map(missed.map((entry) => [entry.recordId, entry])).values()])
    return 'again'
  }
  if (missed.length > 0) return `${missed.length} documents are in the wiki and could not be listed`
  if (unspoken > 0) return `${unspoken} documents of the old index are of another wiki than the source's`
  if (needsApproval(leavingIndex, await countDocuments(db, workflowId)))
    return `${leavingIndex} documents are no longer in the wiki's listing, more than may leave at once unasked`
  if (byLimit > 0)
    await addWarning(db, job.id, {
      code: 'removed_by_limit',
      message: `${byLimit} documents lie beyond max_num_of_docs_from_each_space now and were removed from the index`,
      documents: byLimit,
    })
  if (gone.length > 0) {
    const ledger = databaseLedger(db, { ...run.ledger, fence: await nextFence(db) })
    await run.destination.remove(gone, ledger.fence, signal)
    await ledger.forget(gone.map(({ recordId }) => recordId))
  }
  return null
}

type Moving = { db: Database; swap: Staged; searched: Destination }

/** Answers with why it was refused. */
async function move(
  job: JobRow,
  { db, swap, searched }: Moving,
  signal: AbortSignal,
): Promise<string | null> {
  const { row, swapping } = swap
  const old = { name: row.old_name, uuid: row.old_uuid }
  try {
    const connector = await readConnector(db, row.destination_id)
    if (connector) await refuseOtherWriters(db, row.workflow_id, { ...connector, behind: [old.name] })
    await refuseStrangers(db, { workflowId: row.workflow_id, destination: searched }, signal)
    await withWorkflowLock(db, row.workflow_id, async (locked) => {
      // Only the newest run of a workflow is ever active.
      if (!(await isActive(locked, job.id))) throw cancelled(job.id)
      // Somebody else has finished it, one way or the other.
      if (!(await readSwap(locked, job.id))) return
      const staged = { name: row.index_name, uuid: row.index_uuid }
      await swapping.promote({ staged, old }, AbortSignal.timeout(MOVE_MS))
      await promoteLedger(locked, job.id)
    })
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable || error.code === 'cancelled') throw error
    return error.message
  }
}

/** Whether it is discarded or, since the alias has moved already, in its place: afterwards there is nothing left to do. */
async function end(
  { db }: Resources,
  row: SwapRow,
  { why, destination }: { why: string; destination: Destination },
): Promise<void> {
  await withWorkflowLock(db, row.workflow_id, async (locked) => {
    const now = await readSwap(locked, row.job_id)
    if (!now) return
    const staged = { name: now.index_name, uuid: now.index_uuid }
    const found = await destination.swapping?.withdraw(staged, AbortSignal.timeout(MOVE_MS))
    if (found === 'searched') await promoteLedger(locked, now.job_id)
    else await dropSwap(locked, now, why)
  })
}

type Reconciling = { resources: Resources; connections: Connections }

/** Clears up after a run of this workflow that was stopped or died. */
export async function reconcileWorkflow(
  workflowId: string,
  setting: Reconciling,
  signal: AbortSignal,
): Promise<void> {
  const row = await readSwapOf(setting.resources.db, workflowId)
  if (row) await clearUp(row, setting, signal)
}

/** Likewise where no run follows. */
export async function reconcileAbandoned(setting: Reconciling, signal: AbortSignal): Promise<void> {
  const { db, log } = setting.resources
  for (const row of await abandonedSwaps(db)) {
    await clearUp(row, setting, signal).catch((error: unknown) =>
      log.warn(
        { job_id: row.job_id, index: row.index_name, err: error },
        'a new index could not be discarded',
      ),
    )
  }
}

async function clearUp(
  row: SwapRow,
  { resources, connections }: Reconciling,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const { db } = resources
  if (await isActive(db, row.job_id)) return
  // Whoever deleted the destination has taken the way to the index along.
  if (!(await readConnector(db, row.destination_id))) return dropSwap(db, row, 'its destination was deleted')
  const destination = await connections.openDestination(row.destination_id)
  try {
    await end(resources, row, { why: 'the job ended before it was complete', destination })
  } finally {
    await destination.close()
  }
}
