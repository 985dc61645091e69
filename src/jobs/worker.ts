import { AppError, explain } from '../errors.ts'
import { FRESH_MS, KEPT_CHANGING, MAX_LISTINGS, MISSED_LISTINGS } from '../ingest/relist-limits.ts'
import { workSlice } from '../ingest/slice.ts'
import type { DocumentTask, SliceContext, Stage } from '../ingest/slice-context.ts'
import { noteSteps, readCheck, readConnector, reportCheck } from '../store/connectors/connectors.ts'
import {
  deferredRecords,
  endUnfinished,
  type Finished,
  finishDocuments,
  needsWork,
  type TakenSlice,
  takeSlice,
  unfinishedCount,
} from '../store/jobs/job-documents.ts'
import {
  addWarning,
  isActive,
  type JobRow,
  lookAgain,
  markListed,
  markStarted,
  readJob,
} from '../store/jobs/jobs.ts'
import { pruneUploads } from '../store/jobs/uploads.ts'
import { nextFence } from '../store/ledger/fences.ts'
import type { Connections } from './connections.ts'
import { databaseLedger } from './database-ledger.ts'
import type { Handlers, TaskQueue } from './engine.ts'
import { failRun, giveUpDocuments } from './give-up-documents.ts'
import { cancelled, completeJob, failJob } from './job-outcome.ts'
import { list } from './list-source.ts'
import { removeMissing } from './remove-missing.ts'
import type { Resources } from './resources.ts'
import type { JobRun, JobRuns } from './runs.ts'
import { withSwapStep } from './swap/check-step.ts'
import { finishSwap } from './swap/finish-swap.ts'
import { workUploads } from './upload-jobs.ts'

type Setting = { resources: Resources; engine: TaskQueue; runs: JobRuns; connections: Connections }

/**
 * What a worker does with each task of a job. A job goes list → slices → finish: the listing hands out slices as
 * it goes; whoever finishes the last document after the listing ended sends `finish`, which takes out what left
 * the wiki and closes the job. Every task may be done twice, by anybody, at any time.
 */
export function handlers({ resources, engine, runs, connections }: Setting): Omit<Handlers, 'scheduled'> {
  const { db, log } = resources

  async function finishIfDone(jobId: string): Promise<void> {
    const job = await readJob(db, jobId)
    if (job?.listed && (await unfinishedCount(db, jobId)) === 0) await engine.send('finish', { jobId })
  }

  const fail = (job: JobRow, error: unknown, signal: AbortSignal) =>
    failRun(job, { resources, connections, error }, signal)

  /** A listing that broke: what it had found by then is still worked, unless nothing could be. */
  async function giveUpListing(job: JobRow, error: unknown, signal: AbortSignal): Promise<void> {
    log.error({ job_id: job.id, err: error }, 'the listing broke')
    const handedOut = (await readJob(db, job.id))?.slices ?? 0
    if ((error instanceof AppError && error.endsJob) || handedOut === 0) return fail(job, error, signal)
    await addWarning(db, job.id, {
      code: 'listing_broken',
      message: `the listing broke, and documents that it did not reach were not removed: ${explain(error).message}`,
    })
    await markListed(db, job.id, false)
  }

  return {
    async list({ jobId }, task) {
      const { signal } = task
      const job = await activeJob(resources, jobId)
      if (!job) return
      if (!job.started_at) log.info({ job_id: jobId, workflow_id: job.workflow_id }, 'job started')
      await markStarted(db, jobId)
      const watch = watchCancel(resources, jobId, signal)
      try {
        if (!job.listed)
          await runs.with(job, (run) => list(job, { resources, engine, run }, watch.signal), watch.signal)
      } catch (error) {
        if (watch.cancelled()) return
        if (canTryAgain(error, task)) throw error
        await giveUpListing(job, error, watch.signal)
      } finally {
        watch.end()
      }
      await finishIfDone(jobId)
    },

    async slice({ jobId, slice }, task) {
      const { signal } = task
      const job = await activeJob(resources, jobId)
      if (!job) return
      const watch = watchCancel(resources, jobId, signal)
      try {
        const fence = await nextFence(db)
        const report = (outcomes: Finished[]) => finishDocuments(db, { jobId, fence }, outcomes)
        const taken = await takeSlice(db, { jobId, slice }, fence)
        const tasks = taken
          .filter((document) => task.tries === 1 && isFresh(document.seenAt))
          .filter(isTask)
          .map((document) => ({ ...document, until: new Date(document.seenAt.getTime() + FRESH_MS) }))
        const rest = taken.filter((document) => !tasks.some(({ ref }) => ref === document.ref))
        await report(rest.map(({ ref }) => ({ recordId: ref.recordId, state: 'again' })))

        const spent: Record<Stage, number> = { read: 0, work: 0, embed: 0, write: 0 }
        const works = (run: JobRun): SliceContext => ({
          ...run,
          ledger: databaseLedger(db, { ...run.ledger, fence }),
          beforeWrite: async () => {
            if (!(await isActive(db, jobId))) throw cancelled(jobId)
            watch.signal.throwIfAborted()
          },
          report,
          measure: (stage, ms) => {
            spent[stage] += ms
          },
        })
        await runs.with(job, (run) => workSlice(tasks, works(run), watch.signal), watch.signal)
        log.debug({ job_id: jobId, slice, documents: tasks.length, spent }, 'slice done')
      } catch (error) {
        if (watch.cancelled() || isCancelled(error)) return
        if (canTryAgain(error, task)) throw error
        log.error({ job_id: jobId, slice, err: error }, 'a slice could not be done')
        if (error instanceof AppError && error.endsJob) await fail(job, error, watch.signal)
        else {
          const given = { resources, slice, error: explain(error) }
          await runs.with(job, (run) => giveUpDocuments(job, { ...given, run }, watch.signal), watch.signal)
        }
      } finally {
        watch.end()
      }
      await finishIfDone(jobId)
    },

    async finish({ jobId }, task) {
      const { signal } = task
      const job = await activeJob(resources, jobId)
      if (!job) return
      const watch = watchCancel(resources, jobId, signal)
      try {
        const mayLook = job.looks < MAX_LISTINGS
        const waiting = (await deferredRecords(db, jobId)).size > 0
        // Whoever began to finish it may have died after the swap and before it could say that the job is done.
        const isSwapEnded = job.swap === 'swapped' || job.swap === 'discarded'
        if (waiting && isSwapEnded) await endUnfinished(db, { jobId }, { state: 'failed', ...KEPT_CHANGING })
        const given = { resources, error: KEPT_CHANGING }
        const removed = isSwapEnded
          ? 'ended'
          : waiting && mayLook
            ? 'again'
            : await runs
                .with(
                  job,
                  async (run): Promise<number | 'again' | 'ended'> => {
                    if (waiting) await giveUpDocuments(job, { ...given, run }, watch.signal)
                    const mayLookFor = job.looks < MISSED_LISTINGS
                    return run.swap
                      ? finishSwap(job, { resources, run, swap: run.swap, mayLook: mayLookFor }, watch.signal)
                      : removeMissing(
                          job,
                          { resources, run, approved: false, mayLook: mayLookFor },
                          watch.signal,
                        )
                  },
                  watch.signal,
                )
                .catch(async (error: unknown) => {
                  // Its new index was given up before, by somebody who died before the job could end.
                  if ((await readJob(db, jobId))?.swap !== 'discarded') throw error
                  await endUnfinished(db, { jobId }, { state: 'failed', ...KEPT_CHANGING })
                  return 'ended' as const
                })
        if (removed === 'again') {
          await lookAgain(db, jobId)
          await engine.send('list', { jobId })
          return
        }
        if (await completeJob(db, job)) {
          const ended = await readJob(db, jobId)
          log.info({ job_id: jobId, processing_status: ended?.processing_status, removed }, 'job finished')
        }
      } catch (error) {
        if (watch.cancelled()) return
        if (canTryAgain(error, task)) throw error
        await fail(job, error, watch.signal)
      } finally {
        watch.end()
      }
    },

    async files({ jobId }, task) {
      const job = await activeJob(resources, jobId)
      if (!job) return
      await markStarted(db, jobId)
      const watch = watchCancel(resources, jobId, task.signal)
      try {
        await workUploads(job, resources, watch.signal)
        if (await completeJob(db, job)) await pruneUploads(db)
      } catch (error) {
        if (watch.cancelled() || isCancelled(error)) return
        if (canTryAgain(error, task)) throw error
        await failJob(resources, jobId, error)
      } finally {
        watch.end()
      }
    },

    async check({ checkId }, { lastTry, signal }) {
      const check = await readCheck(db, checkId)
      const connector = check && (await readConnector(db, check.connector_id))
      if (!connector || check.status !== 'SCHEDULED') return
      try {
        const opened =
          connector.kind === 'source'
            ? await connections.openSource(connector.id)
            : await connections.openDestination(connector.id)
        try {
          // One after the other, so that what is read in between never goes back.
          let noted = Promise.resolve()
          const report = await opened.check(signal, (steps) => {
            noted = noted.then(() => noteSteps(db, checkId, steps)).catch(() => {})
          })
          await noted
          await reportCheck(
            db,
            checkId,
            await withSwapStep(report, { db, connectorId: connector.id, opened }, signal),
          )
        } finally {
          await opened.close()
        }
      } catch (error) {
        if (signal.aborted && !lastTry) throw error
        if (!(error instanceof AppError))
          log.error({ check_id: checkId, err: error }, 'a connection check broke')
        const { message } = explain(error)
        await reportCheck(db, checkId, {
          ok: false,
          reason: message,
          steps: [{ name: 'check', status: 'failed', detail: message }],
        })
      }
    },
  }
}

/** A slice that is done again may have waited for any length of time, so all of it is listed again. */
function isFresh(seenAt: Date): boolean {
  return Date.now() - seenAt.getTime() < FRESH_MS
}

function isTask(document: TakenSlice): document is TakenSlice & DocumentTask {
  return needsWork(document.kind)
}

async function activeJob({ db }: Resources, jobId: string): Promise<JobRow | undefined> {
  const job = await readJob(db, jobId)
  return job && (job.status === 'SCHEDULED' || job.status === 'IN_PROGRESS') ? job : undefined
}

function isCancelled(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled'
}

type Try = { tries: number; lastTry: boolean; signal: AbortSignal }

/**
 * An abort means that this worker is stopping: the task is another's then, whatever the try. A connector has tried
 * for a while before it gives an error up, so the whole task is tried only twice more for one; what nobody foresaw,
 * such as a database that was away, gets all the tries there are.
 */
function canTryAgain(error: unknown, { tries, lastTry, signal }: Try): boolean {
  if (signal.aborted) return true
  if (lastTry) return false
  return error instanceof AppError ? error.retryable && tries < 3 : true
}

/** Asks once a second whether the job is still wanted, and ends what is being done for it where it is not. */
function watchCancel({ db }: Resources, jobId: string, taskSignal: AbortSignal) {
  const controller = new AbortController()
  const timer = setInterval(async () => {
    const active = await isActive(db, jobId).catch(() => true)
    if (!active) controller.abort(cancelled(jobId))
  }, 1000)
  timer.unref()
  return {
    signal: AbortSignal.any([taskSignal, controller.signal]),
    cancelled: () => controller.signal.aborted,
    end: () => clearInterval(timer),
  }
}
