import { AppError, explain } from '../../errors.ts'
import { isListingIncomplete } from '../../report.ts'
import { readRevision } from '../../store/connectors/connectors.ts'
import { storeJobCount } from '../../store/jobs/job-counts.ts'
import { addWarning, endJob, type JobRow, markStarted, readJob } from '../../store/jobs/jobs.ts'
import { recordConnectorFailure } from '../../store/notifications/conditions.ts'
import { readWorkflow } from '../../store/workflows/workflows.ts'
import { withSource } from '../connections.ts'
import { failJob } from '../job-outcome.ts'
import { refreshIdentities } from '../passes/fill-identities.ts'
import { type PassResult, runPermissionPass } from '../passes/permission-pass.ts'
import { refreshMemberships } from '../passes/refresh-memberships.ts'
import { writeUnwrittenPermissions } from '../passes/write-permissions.ts'
import { withWrittenIndexes } from '../passes/written-indexes.ts'
import type { Handler } from '../queue/engine.ts'
import { readActiveJob, runJobTask, type TaskContext } from './job-task.ts'

/** A permission pass: the whole job is one task. */
export function permissionsTask(context: TaskContext): Handler<'permissions'> {
  const { db, log } = context.resources
  return async ({ jobId }, attempt) => {
    const job = await readActiveJob(db, jobId)
    if (!job) return
    await markStarted(db, jobId)
    await runJobTask(db, job, {
      attempt,
      work: async (signal) => {
        const result = await pass(job, context, signal)
        await endPass(job, context, result)
        log.info({ job_id: jobId, workflow_id: job.workflow_id, ...result }, 'permission pass finished')
      },
      fail: (error) => failJob(context.resources, jobId, error),
    })
  }
}

/** Searches here follow the ledger; readers that query the index themselves see the old permissions. */
const NOT_WRITTEN = 'permissions_not_written'

async function pass(job: JobRow, context: TaskContext, signal: AbortSignal): Promise<PassResult> {
  const { resources, connections } = context
  const { db } = resources
  const workflow = await readWorkflow(db, job.workflow_id)
  if (!workflow?.source_id)
    throw new AppError('workflow_deleted', `the workflow ${job.workflow_id} was deleted`)
  let failure: unknown = null
  const write = async ({ waits }: { waits: boolean }, within: AbortSignal) => {
    if (failure) return 0
    try {
      return await withWrittenIndexes(
        workflow,
        { resources, connections, jobId: job.id },
        (indexes, inner) => writeUnwrittenPermissions(db, { workflowId: workflow.id, indexes, waits }, inner),
        within,
      )
    } catch (error) {
      // Search follows the ledger, so the source is still read to its end.
      within.throwIfAborted()
      // Such as a lost database connection: the queue retries the pass.
      if (!(error instanceof AppError)) throw error
      resources.log.error({ job_id: job.id, err: error }, 'writing permissions to the index failed')
      failure = error
      return 0
    }
  }
  const { source_id: sourceId } = workflow
  const revision = (await readRevision(db, sourceId)) ?? 0
  // A pass leaves half of the site's requests to content jobs.
  const result = await withSource(connections, { sourceId, share: 0.5 }, async (source) => {
    const passed = await runPermissionPass(job, { db, source, write }, signal)
    const { error } = await refreshMemberships(db, { source, sourceId, revision }, signal)
    if (error) resources.log.warn({ job_id: job.id, err: error }, 'reading memberships of people failed')
    const identityError = await refreshIdentities(
      db,
      { source, sourceId, revision, workspaceId: workflow.workspace_id },
      signal,
    )
    if (identityError)
      resources.log.warn({ job_id: job.id, err: identityError }, 'reading addresses of people failed')
    return passed
  })
  if (failure) {
    const { message, code: errorCode } = explain(failure)
    if (workflow.destination_id && errorCode.startsWith('destination_'))
      await recordConnectorFailure(db, { connectorId: workflow.destination_id, errorCode })
    await addWarning(db, job.id, {
      code: NOT_WRITTEN,
      message: `changed permissions apply to searches here but could not be written to the index: ${message}`,
    })
  }
  return result
}

async function endPass(job: JobRow, { resources: { db } }: TaskContext, result: PassResult): Promise<void> {
  const warnings = (await readJob(db, job.id))?.warnings ?? []
  const isUnwritten = warnings.some(({ code }) => code === NOT_WRITTEN)
  const hasErrors = !result.complete || isUnwritten || isListingIncomplete(warnings)
  const message = warnings.map((warning) => `${warning.message}.`.replaceAll('..', '.')).join(' ')
  await storeJobCount(db, job.id, { state: 'permissions_only', documents: result.written })
  await endJob(db, job.id, {
    status: 'COMPLETED',
    processingStatus: hasErrors ? 'COMPLETED_WITH_ERRORS' : 'SUCCESS',
    message: message === '' ? null : message,
  })
}
