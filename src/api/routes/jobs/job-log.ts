import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Database } from '../../../store/database.ts'
import { countsOf } from '../../../store/jobs/job-counts.ts'
import type { JobDocumentRow } from '../../../store/jobs/job-documents.ts'
import { loggedDocuments } from '../../../store/jobs/job-log.ts'
import { ACTIVE, type JobRow, readJob } from '../../../store/jobs/jobs.ts'
import { type ApiContext, type App, callerOf } from '../../context.ts'
import { answerDetails, findJob } from './jobs.ts'

/** A job as lines of JSON, streamed. */
export function jobLogRoutes(app: App, { resources: { db } }: ApiContext): void {
  app.get(
    '/jobs/:id/log',
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags: ['jobs'], params: z.object({ id: z.string() }), response },
    },
    async (request, reply) => {
      const job = await findJob(db, callerOf(request).workspaceId, request.params.id)
      return reply
        .header('content-type', 'text/plain; charset=utf-8')
        .header('content-disposition', `inline; filename="job-${job.id}.log"`)
        .send(Readable.from(lines(db, job)) as never)
    },
  )
}

const response = {
  200: {
    description: 'Lines of JSON: start, settings, warnings, document outcomes, and the end',
    content: { 'text/plain': { schema: z.string() } },
  },
}

async function* lines(db: Database, job: JobRow): AsyncGenerator<string> {
  const { id, workflow_id, workflow_name, job_type, settings } = job
  yield line({ at: job.created_at, event: 'start', job_id: id, workflow_id, workflow_name, job_type })
  // Contains no secrets: node settings are masked, and connectors are ids.
  yield line({ event: 'settings', ...settings })
  for (const warning of job.warnings) yield line({ event: 'warning', ...warning })
  for await (const rows of loggedDocuments(db, id)) yield rows.map((row) => line(documentEvent(row))).join('')
  const now = (await readJob(db, id)) ?? job
  const { counts } = answerDetails(now, (await countsOf(db, [now])).get(id)!)
  const { status, processing_status, message } = now
  const isOver = !ACTIVE.includes(status)
  yield line({
    at: now.finished_at ?? new Date(),
    event: isOver ? 'end' : 'running',
    status,
    processing_status,
    message,
    counts,
  })
}

function documentEvent(row: JobDocumentRow): object {
  const { record_id, title, state, attempts, elements, warnings } = row
  const error = row.error_code ? { error: { code: row.error_code, message: row.error_message ?? '' } } : {}
  const more = warnings && warnings.length > 0 ? { warnings } : {}
  return {
    at: row.updated_at,
    event: 'document',
    record_id,
    title,
    state,
    attempts,
    elements,
    ...error,
    ...more,
  }
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`
}
