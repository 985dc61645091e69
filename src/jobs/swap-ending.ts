import type { Destination } from '../connectors/connector.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import { stateHash } from '../ingest/data-source.ts'
import { applyRemoval, hidingOnly, planRemoval, withoutLooking } from '../ingest/removal.ts'
import { revokeAccess } from '../ingest/revoke-access.ts'
import type { Entry } from '../ledger-entry.ts'
import { saysIncomplete } from '../report.ts'
import { readConnector } from '../store/connectors/connectors.ts'
import type { Database } from '../store/database.ts'
import { deferMoved } from '../store/jobs/job-documents.ts'
import { addWarning, isActive, type JobRow, readJob } from '../store/jobs/jobs.ts'
import { failedDocuments, unseenDocuments } from '../store/ledger/documents.ts'
import { nextFence } from '../store/ledger/fences.ts'
import {
  abandonedSwaps,
  countLost,
  countUnwritten,
  dropSwap,
  noteMoving,
  promoteLedger,
  readSwap,
  readSwapOf,
  type SwapRow,
} from '../store/swaps/swaps.ts'
import { withWorkflowLock } from '../store/workflows/workflow-lock.ts'
import { readWorkflow } from '../store/workflows/workflows.ts'
import type { Connections } from './connections.ts'
import { cancelled, troublesOf } from './ending.ts'
import { databaseLedger } from './ledger.ts'
import { listingOf, planOf } from './removing.ts'
import type { Resources } from './resources.ts'
import type { JobRun } from './runs.ts'
import { refuseOtherWriters, refuseStrangers } from './swap-refusals.ts'
import type { Staged } from './swapping.ts'

/** A request for the cluster's state; a run that is being stopped does not break it off half-way. */
const MOVE_MS = 120_000

type Finishing = { resources: Resources; run: JobRun; swap: Staged; mayLook: boolean }

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
    if (refusal) {
      await hideInSearched(job, { db, run, searched }, signal)
      await endSwap(db, row, { why: refusal, open: async () => searched })
    }
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
  // What was never there is not lost: it fails in a new index as it does in the old one.
  const lost = counts.failed > 0 ? await countLost(db, job) : 0
  if (lost > 0) return `${lost} ${lost === 1 ? 'document' : 'documents'} failed that people find now`
  const unwritten = await countUnwritten(db, job.id)
  if (unwritten > 0) return `${unwritten} documents are not in the new index as they should be`

  const plan = await planOf(now, { db, run, approved: false }, signal)
  // What this run itself wrote and then did not see any more, since it left or moved while the run went on.
  const written = () => unseenDocuments(db, run.ledger, job.id)
  const own = await planRemoval(written(), listingOf(now), {
    ...{ source: run.source, known: 0, approved: true, approval: '', signal },
  })
  const moved = new Map([...plan.moved, ...own.moved].map((each) => [each.recordId, each]))
  if (moved.size > 0 && mayLook) {
    await deferMoved(db, job.id, [...moved.values()])
    return 'again'
  }
  if (plan.foreign > 0)
    return `${plan.foreign} documents of the old index are of another wiki than the source's`
  const missed = withoutLooking(plan).unreadable.union(withoutLooking(own).unreadable)
  if (missed.size > 0) return `${missed.size} documents are in the wiki and could not be listed`
  if (plan.heldBack > 0)
    return `${plan.heldBack} documents are no longer in the wiki's listing, more than may leave at once unasked`
  for (const warning of plan.warnings) await addWarning(db, job.id, warning)
  const ledger = databaseLedger(db, { ...run.ledger, fence: await nextFence(db) })
  const storage = { unseen: written, ledger, destination: run.destination, removed: async () => {} }
  await applyRemoval(own, storage, signal)
  return null
}

/**
 * People go on with the old index: what this run would have taken out of it is hidden there, and so is what failed,
 * unless its permissions there are those of this run. The next run works in that index, and removes or shows it.
 */
async function hideInSearched(
  job: JobRow,
  { db, run, searched }: { db: Database; run: JobRun; searched: Destination },
  signal: AbortSignal,
): Promise<void> {
  const now = (await readJob(db, job.id)) ?? job
  const of = { workflowId: job.workflow_id }
  const ledger = databaseLedger(db, { ...of, fence: await nextFence(db) })
  const plan = hidingOnly(await planOf(now, { db, run, approved: false }, signal))
  const unseen = () => unseenDocuments(db, of, job.id)
  const storage = { unseen, ledger, destination: searched, removed: async () => {} }
  await applyRemoval(plan, storage, signal)
  let failed = 0
  for await (const documents of failedDocuments(db, of, job.id)) {
    signal.throwIfAborted()
    const stale = documents.filter((each) => !isCurrent(each)).map(({ entry }) => entry)
    const shown = stale.filter(({ elementIds }) => elementIds.length > 0)
    await revokeAccess(shown, storage, signal)
    failed += shown.length
  }
  const documents = plan.unreadable.size + failed
  if (documents === 0) return
  await addWarning(db, job.id, {
    code: 'documents_hidden',
    message: `${documents} documents of the old index left the wiki or could not be listed or read; they are hidden until the next run`,
    documents,
  })
}

/** Own text, with the permissions that this run listed. */
function isCurrent({ entry, ref }: { entry: Entry; ref: DocumentRef | null }): boolean {
  return entry.settled && entry.ownText === true && ref !== null && entry.stateHash === stateHash(ref)
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
      const sending = () => noteMoving(locked, job.id)
      await swapping.promote({ staged, old, sending }, AbortSignal.timeout(MOVE_MS))
      await promoteLedger(locked, job.id)
    })
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable || error.code === 'cancelled') throw error
    return error.message
  }
}

type Ending = { why: string; open: () => Promise<Destination>; mayWait?: (row: SwapRow) => boolean }

/** Whether it is discarded or, since the alias has moved already, in its place: afterwards there is nothing left to do. */
export async function endSwap(db: Database, row: SwapRow, ending: Ending): Promise<void> {
  const { why, open, mayWait = () => true } = ending
  // Before the lock: opening asks the database, whose connections may all be held by those who wait for it.
  const opened = await open().catch((error: unknown) => ({ error }))
  await withWorkflowLock(db, row.workflow_id, async (locked) => {
    const now = await readSwap(locked, row.job_id)
    // Whoever took the workflow over clears up behind a lock of its own.
    if (now?.workflow_id !== row.workflow_id) return
    try {
      if ('error' in opened) throw opened.error
      const staged = { name: now.index_name, uuid: now.index_uuid }
      const found = await opened.swap?.withdraw(staged, AbortSignal.timeout(MOVE_MS))
      if (found === 'searched') await promoteLedger(locked, now.job_id)
      else await dropSwap(locked, now, { why, left: found === 'left' ? 'the key may not' : null })
    } catch (thrown) {
      const error = inWords(thrown)
      if (error.retryable && mayWait(now)) throw error
      if (await mayStillMove(locked, now)) throw stillMoving(now, error)
      await dropSwap(locked, now, { why, left: error.message })
    }
  })
}

/** A cluster that hangs is away like any other. */
function inWords(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new AppError('destination_unreachable', `no answer within ${MOVE_MS / 1000} s`, { cause: error })
  throw error
}

/**
 * The alias of an index that the workflow writes. Had it been asked to move, it could do so after the next run, and show
 * what that run has taken from people's sight. Of what was never sent, and of an index that is another's by now, nothing
 * has to be feared.
 */
async function mayStillMove(db: Database, { moving_at: sent, workflow_id, destination_id }: SwapRow) {
  if (sent === null) return false
  return (await readWorkflow(db, workflow_id))?.destination_id === destination_id
}

function stillMoving({ index_name: name, job_id: jobId, old_name: old }: SwapRow, cause: AppError): AppError {
  return new AppError(
    cause.code,
    `clearing up after job ${jobId}, whose request to move the alias from ${old} to ${name} may still be under way: ${cause.message}`,
    { cause, fix: `${cause.fix ?? `Mend that`}. Until ${name} has been given up, runs cannot go on` },
  )
}

/** `destinationId` is what is about to be used: while that is away there is nothing to go on with. */
type Reconciling = { resources: Resources; connections: Connections; destinationId?: string }

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
  { resources: { db }, connections, destinationId }: Reconciling,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  if (await isActive(db, row.job_id)) return
  // Whoever deleted the destination has taken the way to the index along.
  if (!(await readConnector(db, row.destination_id)))
    return dropSwap(db, row, { why: 'its destination was deleted' })
  let destination: Destination | undefined
  const open = async () => {
    destination = await connections.openDestination(row.destination_id)
    return destination
  }
  try {
    await endSwap(db, row, {
      why: 'the job ended before it was complete',
      open,
      mayWait: (now) => destinationId === undefined || destinationId === now.destination_id,
    })
  } finally {
    await destination?.close()
  }
}
