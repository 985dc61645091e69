import { z } from 'zod'
import { AppError } from '../../../errors.ts'
import { removeMissing } from '../../../jobs/remove-missing.ts'
import { isUploadJob } from '../../../jobs/upload-jobs.ts'
import { settingsHash, storedNodes } from '../../../pipeline/nodes.ts'
import { DOCUMENT_SORTS, listDocuments } from '../../../store/jobs/document-pages.ts'
import { failedRecords, type JobDocumentRow, listFailed } from '../../../store/jobs/job-documents.ts'
import { ACTIVE, type JobRow, listJobs, setHeldBack } from '../../../store/jobs/jobs.ts'
import type { DocumentState } from '../../../store/schema.ts'
import { readWorkflowIn, type WorkflowRow } from '../../../store/workflows/workflows.ts'
import { startJob } from '../../../workflows/start.ts'
import { type ApiContext, type App, callerOf } from '../../context.ts'
import { documentsShape, jobShape } from '../../shapes/resources.ts'
import { cursorAt, cursorPosition } from './document-cursor.ts'
import { answerJob, findJob } from './jobs.ts'

/** Outcomes of documents, retries, and approval of removals. */
export function jobDocumentRoutes(app: App, { resources, engine, runs }: ApiContext): void {
  const { db } = resources
  const tags = ['jobs']
  const params = z.object({ id: z.string() })
  const find = (workspaceId: string, id: string) => findJob(db, workspaceId, id)

  const failed = z.object({ failed_files: z.array(z.object({ document: z.string(), error: z.string() })) })
  app.get(
    '/jobs/:id/failed-files',
    { config: { allows: 'viewer', keys: true }, schema: { tags, params, response: { 200: failed } } },
    async (request) => {
      const job = await find(callerOf(request).workspaceId, request.params.id)
      return { failed_files: await listFailed(db, job.id) }
    },
  )

  app.get(
    '/jobs/:id/documents',
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags, params, querystring: documentQuery, response: { 200: documentsShape } },
    },
    async (request) => {
      const job = await find(callerOf(request).workspaceId, request.params.id)
      const { state, error, space_key: scope, cursor, limit } = request.query
      const order = { by: request.query.sort_by, direction: request.query.sort_direction }
      const from = cursor ? cursorPosition(cursor, order) : undefined
      // One more than the limit shows whether there is another page.
      const rows = await listDocuments(db, job.id, {
        ...(state ? { state } : {}),
        ...(error ? { error } : {}),
        ...(scope ? { scope } : {}),
        ...(from ? { from } : {}),
        order,
        limit: limit + 1,
      })
      const shown = from?.backwards ? rows.slice(-limit) : rows.slice(0, limit)
      const [first, last] = [shown[0], shown.at(-1)]
      const isCut = rows.length > limit
      const [hasBefore, hasAfter] = from?.backwards ? [isCut, true] : [from !== undefined, isCut]
      return {
        items: shown.map(toDocument),
        next: last && hasAfter ? cursorAt(order, last, false) : null,
        previous: first && hasBefore ? cursorAt(order, first, true) : null,
      }
    },
  )

  app.post(
    '/jobs/:id/retry',
    { config: { allows: 'operator', keys: true }, schema: { tags, params, response: { 202: jobShape } } },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const job = await find(workspaceId, request.params.id)
      if (isUploadJob(job)) {
        throw new AppError('not_possible', `the uploaded files of job ${job.id} are not kept`, {
          fix: 'Send the failed files again in a new job',
        })
      }
      const workflow = await readWorkflowIn(db, job.workspace_id, job.workflow_id)
      if (!workflow)
        throw new AppError('not_possible', `the workflow of job ${job.id} does not exist any more`)
      if (!job.documents_kept) {
        throw new AppError(
          'not_possible',
          `the documents of job ${job.id} were deleted after their retention time`,
          {
            fix: 'Run the workflow again: it processes everything that failed or changed',
          },
        )
      }
      if ((await failedRecords(db, job.id)).size === 0) {
        throw new AppError('not_possible', `no document of job ${job.id} failed`)
      }
      const starting = { jobType: 'persistent', startedBy: actor, retryOf: job.id } as const
      const started = await startJob(workflow, starting, { db, engine })
      return reply.code(202).send(await answerJob(db, started))
    },
  )

  app.post(
    '/jobs/:id/approve-deletions',
    {
      config: { allows: 'operator', keys: true },
      schema: { tags, params, response: { 202: z.object({ removed: z.number() }) } },
    },
    async (request, reply) => {
      const job = await find(callerOf(request).workspaceId, request.params.id)
      if (ACTIVE.includes(job.status)) throw new AppError('job_active', `job ${job.id} has not ended yet`)
      if (job.held_back === 0) throw new AppError('not_possible', `job ${job.id} holds no deletions back`)
      const newer = await listJobs(db, job.workspace_id, { workflowId: job.workflow_id })
      if (newer[0]?.id !== job.id) {
        throw new AppError('not_possible', `job ${newer[0]?.id} is newer`, {
          fix: 'Approve the removals of that job',
        })
      }
      const workflow = await readWorkflowIn(db, job.workspace_id, job.workflow_id)
      if (!workflow || !hasSameSettings(job, workflow)) {
        throw new AppError('not_possible', `the workflow changed after job ${job.id}`, {
          fix: 'Run the workflow again and approve the removals of that job',
        })
      }
      const signal = AbortSignal.timeout(600_000)
      const removed = await runs.with(
        job,
        (run) => removeMissing(job, { resources, run, approved: true, mayRelist: false }, signal),
        signal,
      )
      await setHeldBack(db, job.id, 0)
      return reply.code(202).send({ removed: removed === 'again' ? 0 : removed })
    },
  )
}

/** Under other settings the job's listing does not show which documents left the source. */
function hasSameSettings({ settings }: JobRow, workflow: WorkflowRow): boolean {
  const { source_id, destination_id } = workflow
  const hashOf = (stored: { nodes: JobRow['settings']['nodes'] }) => settingsHash(storedNodes(stored))
  const isSame = source_id === settings.source_id && destination_id === settings.destination_id
  return isSame && hashOf(workflow) === hashOf(settings)
}

const states = [
  'pending',
  'in_progress',
  'new',
  'changed',
  'permissions_only',
  'unchanged',
  'skipped',
  'failed',
  'removed',
] as const satisfies DocumentState[]

// Strict, since only our page calls it: a mistyped name is an error.
const documentQuery = z.strictObject({
  state: z.enum(states).optional(),
  error: z.string().optional(),
  space_key: z.string().optional(),
  sort_by: z.enum(DOCUMENT_SORTS).default('record_id'),
  sort_direction: z.enum(['asc', 'desc']).default('asc'),
  cursor: z.string().max(10_000).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
})

function toDocument(row: JobDocumentRow): z.infer<typeof documentsShape>['items'][number] {
  const error = row.error_code ? { error: { code: row.error_code, message: row.error_message ?? '' } } : {}
  return {
    record_id: row.record_id,
    title: row.title,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    ...error,
    elements: row.elements,
    ...(row.warnings && row.warnings.length > 0 ? { warnings: row.warnings } : {}),
    updated_at: row.updated_at.toISOString(),
  }
}
