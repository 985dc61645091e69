import { z } from 'zod'
import { createJobChanges } from '../../../jobs/progress.ts'
import { type Progress, readProgress } from '../../../store/jobs/job-progress.ts'
import { ACTIVE_STATUSES } from '../../../store/jobs/jobs.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { createEventStream, type EventStream } from '../../http/event-stream.ts'
import { createStreamLimit } from '../../http/stream-limit.ts'
import { toWarning } from './job-warnings.ts'
import { findJob, jobDetails, runtimeOf } from './jobs.ts'

const EVERY_MS = 1000

/** The event id counts sent warnings (`w3`), so that a reconnecting client gets the rest, or 204 after `done`. */
export function eventRoutes(app: App, { resources: { db, log } }: ApiContext): void {
  const jobChanges = createJobChanges<Progress>({
    read: (id) => readProgress(db, id),
    hasEnded,
    everyMs: EVERY_MS,
    log,
  })
  const streams = createStreamLimit(db)
  // These connections never end by themselves, and the server waits for them.
  app.addHook('preClose', async () => jobChanges.close())
  app.addHook('onClose', () => streams.close())

  app.get(
    '/jobs/:id/events',
    {
      // Its response would hold a stream open until the job ends.
      exposeHeadRoute: false,
      config: { allows: 'viewer', keys: true },
      schema: { params: idParams, response },
    },
    async (request, reply) => {
      const { actor, workspaceId } = callerOf(request)
      const job = await findJob(db, workspaceId, request.params.id)
      const lastEventId = String(request.headers['last-event-id'] ?? '')
      if (lastEventId === 'done') return reply.code(204).send(null)
      let unsubscribe = () => {}
      const release = await streams.open({ caller: actor, workspaceId })
      const stream = createEventStream(() => {
        release()
        unsubscribe()
      })
      unsubscribe = jobChanges.watch(job.id, listenerFor(stream, { warnings: receivedWarnings(lastEventId) }))
      return (
        reply
          .header('content-type', 'text/event-stream; charset=utf-8')
          .header('cache-control', 'no-cache, no-transform')
          // Otherwise some proxies buffer a few kilobytes.
          .header('x-accel-buffering', 'no')
          .send(stream.readable as never)
      )
    },
  )
}

const response = {
  200: {
    description: 'Events `progress`, `warning` and `done`, each with an id to resume from',
    content: { 'text/event-stream': { schema: z.unknown() } },
  },
  204: z.null().describe('`Last-Event-ID` was that of `done`'),
}

/** Sends changes only, and fewer of them to a slow client. */
function listenerFor(stream: EventStream, sent: { warnings: number }): (progress: Progress | null) => void {
  let { warnings } = sent
  let last = ''
  return (progress) => {
    if (!progress) return stream.end()
    if (stream.isBehind() && !hasEnded(progress)) return
    for (const warning of progress.job.warnings.slice(warnings)) {
      warnings++
      stream.send({ id: `w${warnings}`, event: 'warning', data: toWarning(warning, progress.job) })
    }
    const data = progressOf(progress)
    const text = JSON.stringify(data)
    if (text !== last) stream.send({ id: `w${warnings}`, event: 'progress', data })
    last = text
    if (!hasEnded(progress)) return
    stream.send({ id: 'done', event: 'done', data: doneEvent(progress) })
    stream.end()
  }
}

// `done` waits for the count of unfinished documents.
const LAST_COUNT_MS = 3000

function hasEnded({ job, states }: Progress): boolean {
  if (ACTIVE_STATUSES.includes(job.status)) return false
  const isCounted = states.pending + states.in_progress === 0
  return isCounted || Date.now() - (job.finished_at?.getTime() ?? 0) > LAST_COUNT_MS
}

/** Zero for an unknown id. */
function receivedWarnings(id: string): number {
  return Number(/^w(\d{1,9})$/.exec(id)?.[1] ?? 0)
}

export function progressOf(progress: Progress) {
  const { job, states, toProcess, documentsPerSecond, elementsPerSecond, averagePerSecond } = progress
  const { summary, counts, node_stats } = jobDetails(job, progress)
  const hasJobEnded = !ACTIVE_STATUSES.includes(job.status)
  const isListed = job.listed || hasJobEnded
  const left = states.pending + states.in_progress
  // Between two slices of a slow source, the average rate gives a better estimate.
  const rate = documentsPerSecond || averagePerSecond
  const eta = isListed && rate > 0 ? Math.ceil(left / rate) : null
  return {
    job_id: job.id,
    status: job.status,
    processing_status: job.processing_status,
    found: summary.total_docs,
    counts,
    node_stats,
    stages: [
      { name: 'list', done: summary.total_docs, total: isListed ? summary.total_docs : null },
      { name: 'work', done: toProcess - left, total: isListed ? toProcess : null },
      { name: 'remove', done: job.removed, total: hasJobEnded ? job.removed + job.held_back : null },
    ],
    rates: { documents_per_second: documentsPerSecond, elements_per_second: elementsPerSecond },
    eta_seconds: hasJobEnded ? 0 : eta,
  }
}

function doneEvent(progress: Progress) {
  const { job } = progress
  const { id, status, processing_status, message } = job
  const { counts } = jobDetails(job, progress)
  return { job_id: id, status, processing_status, message, counts, runtime: runtimeOf(job) }
}
