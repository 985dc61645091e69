import { z } from 'zod'
import { invalid } from '../../../errors.ts'
import { incompleteOf } from '../../../report.ts'
import {
  CHANGES,
  countChangesBetween,
  documentsKept,
  listChangesBetween,
} from '../../../store/jobs/run-changes.ts'
import { type WorkflowRun, workflowRuns } from '../../../store/jobs/workflow-runs.ts'
import { firstPart } from '../../../store/keyset.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { runChangesShape, runShape } from '../../shapes/workflow-runs.ts'
import { findJob } from '../jobs/jobs.ts'
import { workflowIn } from './workflow-in.ts'

/** The runs of a workflow over time, and what changed between two of them. */
export function workflowRunRoutes(app: App, { resources: { db }, reads }: ApiContext): void {
  app.get(
    '/workflows/:id/runs',
    {
      config: { allows: 'viewer', keys: true },
      schema: {
        params: idParams,
        querystring: z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(30) }),
        response: { 200: z.array(runShape) },
      },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const { id } = request.params
      await workflowIn(db, workspaceId, id)
      return (await workflowRuns(db, { id, workspaceId }, request.query.limit)).map(toRun)
    },
  )

  app.get(
    '/jobs/:id/differences',
    {
      config: { allows: 'viewer', keys: true },
      schema: {
        params: idParams,
        querystring: z.strictObject({
          to: z.string().describe('Another run of the same workflow, earlier or later'),
          change: z.enum(CHANGES).optional(),
          after: z.string().max(1000).optional().describe('`next` of the previous answer'),
          limit: z.coerce.number().int().min(1).max(1000).default(100),
        }),
        response: { 200: runChangesShape },
      },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const { to: otherId, change, after, limit } = request.query
      const one = await findJob(db, workspaceId, request.params.id)
      const other = await findJob(db, workspaceId, otherId)
      if (one.workflow_id !== other.workflow_id || one.kind !== 'content' || other.kind !== 'content')
        throw invalid(['query', 'to'], 'only two runs of the same workflow can be compared')
      const isLater = other.created_at >= one.created_at
      const between = isLater ? { from: one, to: other } : { from: other, to: one }
      const [complete, totals, found] = await reads.run(workspaceId, (transaction) =>
        Promise.all([
          documentsKept(transaction, between),
          countChangesBetween(transaction, between),
          listChangesBetween(transaction, between, { change, after, limit: limit + 1 }),
        ]),
      )
      const { rows, next } = firstPart(found, limit, (row) => row.record_id)
      return {
        from: { job_id: between.from.id, created_at: between.from.created_at.toISOString() },
        to: { job_id: between.to.id, created_at: between.to.created_at.toISOString() },
        complete,
        totals,
        items: rows.map(({ error_code: code, error_message: message, ...item }) => ({
          ...item,
          error: item.change === 'failed' && code ? { code, message: message ?? '' } : null,
        })),
        next,
      }
    },
  )
}

function toRun({ job, states, elements, seconds }: WorkflowRun): z.infer<typeof runShape> {
  const count = (...names: string[]) => names.reduce((sum, name) => sum + (states[name] ?? 0), 0)
  return {
    job_id: job.id,
    created_at: job.created_at.toISOString(),
    status: job.status,
    processing_status: job.processing_status,
    job_type: job.job_type,
    seconds,
    found: count(
      'new',
      'changed',
      'permissions_only',
      'unchanged',
      'skipped',
      'failed',
      'pending',
      'in_progress',
    ),
    new: count('new'),
    changed: count('changed', 'permissions_only'),
    removed: job.removed,
    failed: count('failed'),
    elements,
    documents_kept: job.documents_kept,
    incomplete: incompleteOf(job.warnings, job.settings.source_id),
    estimate: job.estimate,
  }
}
