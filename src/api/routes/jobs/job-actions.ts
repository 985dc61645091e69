import { z } from 'zod'
import { AppError, explain } from '../../../errors.ts'
import { removeMissing } from '../../../jobs/remove-missing.ts'
import { isUploadJob } from '../../../jobs/upload-jobs.ts'
import { settingsHash, storedNodes } from '../../../pipeline/nodes.ts'
import { failedRecords } from '../../../store/jobs/job-documents.ts'
import { ACTIVE_STATUSES, type JobRow, latestJobOf, setHeldBack } from '../../../store/jobs/jobs.ts'
import { readWorkflowIn, type WorkflowRow } from '../../../store/workflows/workflows.ts'
import { startJob } from '../../../workflows/start.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { jobShape } from '../../shapes/resources.ts'
import { findJob, jobResponse } from './jobs.ts'

const MAX_JOBS = 50
const APPROVAL_MS = 600_000

/** Retries of failed documents and approval of removals, for one job or several. */
export function jobActionRoutes(app: App, context: ApiContext): void {
  const { db } = context.resources
  const config = { allows: 'operator', keys: true } as const

  app.post(
    '/jobs/:id/retry',
    { config, schema: { params: idParams, response: { 202: jobShape } } },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const job = await findJob(db, workspaceId, request.params.id)
      return reply.code(202).send(await jobResponse(db, await retryFailed(job, actor, context)))
    },
  )

  app.post(
    '/jobs/:id/approve-deletions',
    { config, schema: { params: idParams, response: { 202: z.object({ removed: z.number() }) } } },
    async (request, reply) => {
      const job = await findJob(db, callerOf(request).workspaceId, request.params.id)
      const removed = await approveDeletions(job, context, AbortSignal.timeout(APPROVAL_MS))
      return reply.code(202).send({ removed })
    },
  )

  app.post(
    '/jobs/retry',
    {
      config,
      schema: {
        operationId: 'retryJobs',
        body: jobIds,
        response: { 200: resultsOf({ job: jobShape.nullable() }) },
      },
    },
    async (request) => {
      const { workspaceId, actor } = callerOf(request)
      return forEachJob(
        request.body.job_ids,
        async (id) => {
          const retry = await retryFailed(await findJob(db, workspaceId, id), actor, context)
          return { job: await jobResponse(db, retry) }
        },
        { job: null },
      )
    },
  )

  app.post(
    '/jobs/approve-deletions',
    {
      config,
      schema: {
        operationId: 'approveDeletionsOfJobs',
        body: jobIds,
        response: { 200: resultsOf({ removed: z.number().nullable() }) },
      },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const signal = AbortSignal.timeout(APPROVAL_MS)
      return forEachJob(
        request.body.job_ids,
        async (id) => {
          const job = await findJob(db, workspaceId, id)
          return { removed: await approveDeletions(job, context, signal) }
        },
        { removed: null },
      )
    },
  )
}

const jobIds = z.strictObject({ job_ids: z.array(z.string().max(100)).min(1).max(MAX_JOBS) })

function resultsOf<Outcome extends z.ZodRawShape>(outcome: Outcome) {
  const error = z.object({ code: z.string(), message: z.string(), fix: z.string().nullable() }).nullable()
  return z.object({ results: z.array(z.object({ job_id: z.string(), ...outcome, error })) })
}

/** One job that cannot be changed does not stop the others; it has the values of `failed`. */
async function forEachJob<Done, Failed>(ids: string[], act: (id: string) => Promise<Done>, failed: Failed) {
  const results = []
  for (const id of new Set(ids)) {
    const outcome = await act(id).then(
      (done) => ({ ...done, error: null }),
      (error: unknown) => ({ ...failed, error: errorOf(error) }),
    )
    results.push({ job_id: id, ...outcome })
  }
  return { results }
}

function errorOf(error: unknown): { code: string; message: string; fix: string | null } {
  if (!(error instanceof AppError)) return { ...explain(error), fix: null }
  return { code: error.code, message: error.message, fix: error.fix ?? null }
}

async function retryFailed(
  job: JobRow,
  actor: string,
  { resources: { db }, engine }: ApiContext,
): Promise<JobRow> {
  if (isUploadJob(job)) {
    throw new AppError('not_possible', `the uploaded files of job ${job.id} are not kept`, {
      fix: 'Send the failed files again in a new job',
    })
  }

  const workflow = await readWorkflowIn(db, job.workspace_id, job.workflow_id)
  if (!workflow) throw new AppError('not_possible', `the workflow of job ${job.id} does not exist any more`)
  if (!job.documents_kept) {
    throw new AppError(
      'not_possible',
      `the documents of job ${job.id} were deleted after their retention time`,
      {
        fix: 'Run the workflow again: it processes everything that failed or changed',
      },
    )
  }
  if ((await failedRecords(db, job.id)).size === 0)
    throw new AppError('not_possible', `no document of job ${job.id} failed`)
  const starting = { jobType: 'persistent', startedBy: actor, retryOf: job.id } as const
  return startJob(workflow, starting, { db, engine })
}

/** Returns how many documents were removed. */
async function approveDeletions(
  job: JobRow,
  { resources, runs }: ApiContext,
  signal: AbortSignal,
): Promise<number> {
  const { db } = resources
  if (ACTIVE_STATUSES.includes(job.status))
    throw new AppError('job_active', `job ${job.id} has not ended yet`)
  if (job.held_back === 0)
    throw new AppError('not_possible', `no removals of job ${job.id} wait for approval`)
  const latest = await latestJobOf(db, job.workspace_id, job.workflow_id)
  if (latest?.id !== job.id) {
    throw new AppError('not_possible', `job ${latest?.id} is newer`, {
      fix: 'Approve the removals of that job',
    })
  }

  const workflow = await readWorkflowIn(db, job.workspace_id, job.workflow_id)
  if (!workflow || !hasSameSettings(job, workflow)) {
    throw new AppError('not_possible', `the workflow changed after job ${job.id}`, {
      fix: 'Run the workflow again and approve the removals of that job',
    })
  }

  const removed = await runs.with(
    job,
    (run) => removeMissing(job, { resources, run, approved: true, mayRelist: false }, signal),
    signal,
  )
  await setHeldBack(db, job.id, 0)
  return removed === 'again' ? 0 : removed
}

/** Under other settings the job's listing does not show which documents left the source. */
function hasSameSettings({ settings }: JobRow, workflow: WorkflowRow): boolean {
  const { source_id, destination_id } = workflow
  const hashOf = (stored: { nodes: JobRow['settings']['nodes'] }) => settingsHash(storedNodes(stored))
  const isSame = source_id === settings.source_id && destination_id === settings.destination_id
  return isSame && hashOf(workflow) === hashOf(settings)
}
