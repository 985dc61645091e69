import { z } from 'zod'
import { createJobChanges } from '../../../jobs/progress.ts'
import { type Progress, readProgress } from '../../../store/jobs/job-progress.ts'
import { ACTIVE } from '../../../store/jobs/jobs.ts'
import { type ApiContext, type App, callerOf } from '../../context.ts'
import { createEventStream, type EventStream } from '../../event-stream.ts'
import { answerDetails, findJob, runtimeOf } from './jobs.ts'

const EVERY_MS = 1000

/** The event id counts sent warnings (`w3`), so that a reconnecting client gets the rest, or 204 after `done`. */
export function eventRoutes(app: App, { resources: { db, log } }: ApiContext): void {
  const watching = createJobChanges<Progress>({
    read: (id) => readProgress(db, id),
    hasEnded,
    everyMs: EVERY_MS,
    log,
  })
  // These connections never end by themselves, and the server waits for them.
  app.addHook('preClose', async () => watching.close())

  app.get(
    '/jobs/:id/events',
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags: ['jobs'], params: z.object({ id: z.string() }), response },
    },
    async (request, reply) => {
      const job = await findJob(db, callerOf(request).workspaceId, request.params.id)
      const had = String(request.headers['last-event-id'] ?? '')
      if (had === 'done') return reply.code(204).send(null)
      let leave = () => {}
      const stream = createEventStream(() => leave())
      leave = watching.watch(job.id, listenerFor(stream, { warnings: warningsHad(had) }))
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
    content: { 'text/event-stream': { schema: z.string() } },
  },
  204: z.null().describe('`Last-Event-ID` was that of `done`'),
}

/** Sends changes only, and fewer of them to a slow client. */
function listenerFor(stream: EventStream, sent: { warnings: number }): (seen: Progress | null) => void {
  let { warnings } = sent
  let last = ''
  return (seen) => {
    if (!seen) return stream.end()
    if (stream.isBehind() && !hasEnded(seen)) return
    for (const warning of seen.job.warnings.slice(warnings)) {
      warnings++
      stream.send({ id: `w${warnings}`, event: 'warning', data: warning })
    }
    const data = progressOf(seen)
    const text = JSON.stringify(data)
    if (text !== last) stream.send({ id: `w${warnings}`, event: 'progress', data })
    last = text
    if (!hasEnded(seen)) return
    stream.send({ id: 'done', event: 'done', data: endOf(seen) })
    stream.end()
  }
}

// `done` waits for the count of unfinished documents.
const LAST_COUNT_MS = 3000

function hasEnded({ job, states }: Progress): boolean {
  if (ACTIVE.includes(job.status)) return false
  const isCounted = states.pending + states.in_progress === 0
  return isCounted || Date.now() - (job.finished_at?.getTime() ?? 0) > LAST_COUNT_MS
}

/** Zero for an unknown id. */
function warningsHad(id: string): number {
  return Number(/^w(\d{1,9})$/.exec(id)?.[1] ?? 0)
}

export function progressOf(progress: Progress) {
  const { job, states, toWork, documentsPerSecond, elementsPerSecond, averagePerSecond } = progress
  const { summary, counts, node_stats } = answerDetails(job, states)
  const isOver = !ACTIVE.includes(job.status)
  const isListed = job.listed || isOver
  const left = states.pending + states.in_progress
  // Between two slices of a slow source, the average rate gives a better estimate.
  const pace = documentsPerSecond || averagePerSecond
  const eta = isListed && pace > 0 ? Math.ceil(left / pace) : null
  return {
    job_id: job.id,
    status: job.status,
    processing_status: job.processing_status,
    found: summary.total_docs,
    counts,
    node_stats,
    stages: [
      { name: 'list', done: summary.total_docs, total: isListed ? summary.total_docs : null },
      { name: 'work', done: toWork - left, total: isListed ? toWork : null },
      { name: 'remove', done: job.removed, total: isOver ? job.removed + job.held_back : null },
    ],
    rates: { documents_per_second: documentsPerSecond, elements_per_second: elementsPerSecond },
    eta_seconds: isOver ? 0 : eta,
  }
}

function endOf({ job, states }: Progress) {
  const { id, status, processing_status, message } = job
  const { counts } = answerDetails(job, states)
  return { job_id: id, status, processing_status, message, counts, runtime: runtimeOf(job) }
}
