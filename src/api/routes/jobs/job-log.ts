import { z } from 'zod'
import type { JobDocumentRow } from '../../../store/jobs/job-documents.ts'
import {
  LINE_LEVELS,
  type LineLevel,
  LOG_PAGE,
  latestDocuments,
  levelOf,
  loggedDocuments,
} from '../../../store/jobs/job-log.ts'
import { readDocumentCounts } from '../../../store/jobs/job-stages.ts'
import { ACTIVE_STATUSES, type JobRow, readJob } from '../../../store/jobs/jobs.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { problemsOf } from './job-documents.ts'
import { findJob, jobDetails } from './jobs.ts'

const MAX_TAIL = 2000
const MAX_LOGS = 10

/** A job as lines of JSON, streamed. */
export function jobLogRoutes(app: App, context: ApiContext): void {
  app.get(
    '/jobs/:id/log',
    {
      config: { allows: 'viewer', keys: true },
      schema: { params: idParams, querystring: logQuery, response },
    },
    async (request, reply) => {
      const job = await findJob(context.resources.db, callerOf(request).workspaceId, request.params.id)
      const lines = await context.reads.stream(
        { workspaceId: job.workspace_id, name: 'logs', streams: MAX_LOGS },
        linesOf(job, request.query, context),
      )
      return reply
        .header('content-type', 'text/plain; charset=utf-8')
        .header('content-disposition', `inline; filename="job-${job.id}.log"`)
        .send(lines as never)
    },
  )
}

const logQuery = z.strictObject({
  level: z.enum(LINE_LEVELS).default('info').describe('The lowest level of the lines'),
  text: z
    .string()
    .max(1000)
    .regex(/^[^\0]*$/)
    .optional()
    .describe('A part of the line, in any case'),
  tail: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_TAIL)
    .optional()
    .describe('Only the documents that ended last, in the order of time'),
})
type LogQuery = z.infer<typeof logQuery>

const response = {
  200: {
    description: 'Lines of JSON: start, settings, warnings, document outcomes, and the end',
    content: { 'text/plain': { schema: z.string() } },
  },
}

async function* linesOf(
  job: JobRow,
  query: LogQuery,
  { resources: { db }, reads }: ApiContext,
): AsyncGenerator<string> {
  const { id, workflow_id, workflow_name, job_type, settings } = job
  const { level, text, tail } = query
  const filter = { level, text }
  const selected = (entry: { level: LineLevel } & Record<string, unknown>) => {
    const written = line(entry)
    const isSelected = LINE_LEVELS.indexOf(entry.level) >= LINE_LEVELS.indexOf(level)
    return isSelected && written.toLowerCase().includes((text ?? '').toLowerCase()) ? written : ''
  }

  const readPage = (after: string) =>
    reads.run(job.workspace_id, (transaction) =>
      tail
        ? latestDocuments(transaction, id, { ...filter, count: tail })
        : loggedDocuments(transaction, id, { ...filter, after }),
    )
  // Before the first line, a refusal has its own status.
  let rows = await readPage('')
  yield selected({
    at: job.created_at,
    level: 'info',
    event: 'start',
    job_id: id,
    workflow_id,
    workflow_name,
    job_type,
  })
  // Contains no secrets: node settings are masked, and connectors are ids.
  yield selected({ level: 'info', event: 'settings', ...settings })
  for (const { code, message, documents } of job.warnings)
    yield selected({ level: 'warning', event: 'warning', code, message, documents })
  for (let last = rows.at(-1); last; last = rows.at(-1)) {
    yield rows.map((row) => line(documentEvent(row))).join('')
    rows = tail || rows.length < LOG_PAGE ? [] : await readPage(last.record_id)
  }

  const now = (await readJob(db, id)) ?? job
  const { counts } = jobDetails(now, await readDocumentCounts(db, id))
  const { status, processing_status, message } = now
  const isOver = !ACTIVE_STATUSES.includes(status)
  yield selected({
    at: now.finished_at ?? new Date(),
    level: levelOfEnd(now),
    event: isOver ? 'end' : 'running',
    status,
    processing_status,
    message,
    counts,
  })
}

function levelOfEnd({ status, processing_status: outcome }: JobRow): LineLevel {
  if (status === 'FAILED') return 'error'
  return outcome === 'COMPLETED_WITH_ERRORS' ? 'warning' : 'info'
}

function documentEvent(row: JobDocumentRow): object {
  const { record_id, title, state, attempts, elements } = row
  return {
    at: row.updated_at,
    level: levelOf(row),
    event: 'document',
    record_id,
    title,
    state,
    attempts,
    elements,
    ...problemsOf(row),
  }
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`
}
