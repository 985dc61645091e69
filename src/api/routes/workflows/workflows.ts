import { z } from 'zod'
import { AppError } from '../../../errors.ts'
import { nodeWarnings, storedNodes } from '../../../pipeline/nodes.ts'
import { activeJobOf } from '../../../store/jobs/jobs.ts'
import { listProvedScopes, oldestProof } from '../../../store/workflows/freshness.ts'
import { deleteWorkflow, listWorkflows, type WorkflowRow } from '../../../store/workflows/workflows.ts'
import { deleteWithElements } from '../../../workflows/remove-elements.ts'
import { permissionsPhrase } from '../../../workflows/schedule.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { announceNext, offsetQuery, textQuery, textRangeOf, toTextCursor } from '../../http/list-page.ts'
import { freshnessShape, workflowShape } from '../../shapes/resources.ts'
import { BOOLEAN_WORDS } from '../../shapes/rules.ts'
import { startWorkflowRoutes } from './start-workflow.ts'
import { changeWorkflow, createWorkflow, newWorkflow, stopPass, workflowChange } from './store-workflow.ts'
import { freshnessOf } from './workflow-freshness.ts'
import { workflowIn } from './workflow-in.ts'

export async function workflowRoutes(app: App, context: ApiContext): Promise<void> {
  listingRoutes(app, context)
  oneWorkflowRoutes(app, context)
  await startWorkflowRoutes(app, context)
}

function listingRoutes(app: App, { resources }: ApiContext): void {
  const { db } = resources
  app.get(
    '/workflows',
    {
      config: { allows: 'viewer', keys: true },
      schema: { querystring: listing, response: { 200: z.array(workflowShape) } },
    },
    async (request, reply) => {
      const query = request.query
      const limit = query.limit ?? query.page_size
      const offset = query.cursor === undefined ? (query.page - 1) * limit : Number(query.cursor)
      const rows = await listWorkflows(db, callerOf(request).workspaceId, {
        sourceId: query.source_id,
        destinationId: query.destination_id,
        status: query.status,
        name: query.name,
        createdSince: query.created_since,
        createdBefore: query.created_before,
        deleted: query.show_only_soft_deleted,
        sortBy: query.sort_by,
        direction: query.sort_direction,
        offset,
        limit: limit + 1,
      })
      announceNext(request, reply, rows.length > limit ? String(offset + limit) : null)
      return rows.slice(0, limit).map(toWorkflow)
    },
  )

  app.post(
    '/workflows',
    {
      config: { allows: 'operator', keys: true },
      schema: { body: newWorkflow, response: { 200: workflowShape } },
    },
    async (request) =>
      toWorkflow(await createWorkflow(resources, callerOf(request).workspaceId, request.body)),
  )
}

/** What concerns one workflow, except its starts. */
function oneWorkflowRoutes(app: App, { resources, engine, reads }: ApiContext): void {
  const { db } = resources

  app.get(
    '/workflows/:id',
    {
      config: { allows: 'viewer', keys: true },
      schema: { params: idParams, response: { 200: workflowShape } },
    },
    async (request) => toWorkflow(await workflowIn(db, callerOf(request).workspaceId, request.params.id)),
  )

  app.put(
    '/workflows/:id',
    {
      config: { allows: 'operator', keys: true },
      schema: { params: idParams, body: workflowChange, response: { 200: workflowShape } },
    },
    async (request) => {
      const row = await workflowIn(db, callerOf(request).workspaceId, request.params.id)
      return toWorkflow(await changeWorkflow(resources, row, request.body))
    },
  )

  app.delete(
    '/workflows/:id',
    {
      config: { allows: 'operator', keys: true },
      schema: { params: idParams, querystring: deletion, response: { 200: z.object({}) } },
    },
    async (request) => {
      const { workspaceId, actor } = callerOf(request)
      const row = await workflowIn(db, workspaceId, request.params.id)
      const active = await activeJobOf(db, row.id)
      if (active) {
        throw new AppError('job_active', `the workflow "${row.name}" is running as job ${active}`, {
          fix: 'Cancel it first',
        })
      }
      await stopPass(db, row.id)
      if (request.query.elements === 'remove')
        await deleteWithElements(row, { startedBy: actor }, { db, engine })
      else await deleteWorkflow(db, row.id)
      return {}
    },
  )

  app.get(
    '/workflows/:id/freshness',
    {
      config: { allows: 'viewer', keys: true },
      schema: { params: idParams, querystring: textQuery, response: { 200: freshnessShape } },
    },
    async (request, reply) => {
      const { workspaceId } = callerOf(request)
      const workflow = await workflowIn(db, workspaceId, request.params.id)
      const [{ rows: scopes, next }, oldest, active] = await reads.run(workspaceId, (transaction) =>
        Promise.all([
          listProvedScopes(transaction, workflow, textRangeOf(request.query)),
          oldestProof(transaction, workflow.id),
          activeJobOf(transaction, workflow.id, 'permissions'),
        ]),
      )
      announceNext(request, reply, next && toTextCursor(next))
      return freshnessOf(workflow, { scopes, oldest, jobId: active ?? null })
    },
  )
}

const listing = z.object({
  dag_node_configuration_id: z.string().optional(),
  source_id: z.uuid().optional(),
  destination_id: z.uuid().optional(),
  status: z.enum(['active', 'inactive']).optional(),
  ...offsetQuery,
  page: z.coerce.number().int().min(1).default(1),
  page_size: z.coerce.number().int().min(1).max(100).default(20),
  created_since: z.iso.datetime({ offset: true }).optional(),
  created_before: z.iso.datetime({ offset: true }).optional(),
  name: z.string().optional(),
  sort_by: z.enum(['id', 'name', 'created_at', 'updated_at']).default('id'),
  sort_direction: z.enum(['asc', 'desc']).default('asc'),
  show_only_soft_deleted: z.stringbool().meta(BOOLEAN_WORDS).default(false),
  show_recommender_workflows: z.stringbool().meta(BOOLEAN_WORDS).default(false),
})

const deletion = z.object({
  elements: z
    .enum(['keep', 'remove'])
    .default('keep')
    .describe('`remove` also removes the elements from the index, in a job'),
})

function toWorkflow(row: WorkflowRow): z.infer<typeof workflowShape> {
  return {
    id: row.id,
    name: row.name,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at?.toISOString() ?? null,
    status: row.state,
    sources: row.source_id ? [row.source_id] : [],
    destinations: row.destination_id ? [row.destination_id] : [],
    workflow_type: row.workflow_type as z.infer<typeof workflowShape>['workflow_type'],
    workflow_nodes: row.nodes,
    // An empty list rather than null, since scripts iterate over it.
    schedule: { crontab_entries: row.schedule ? [{ cron_expression: row.schedule }] : [] },
    schedule_timezone: row.schedule_timezone,
    next_run_at: row.next_run_at?.toISOString() ?? null,
    reprocess_all: row.reprocess_all,
    swap_index: row.swap_index,
    permissions_schedule: permissionsPhrase(row.permissions_minutes),
    max_permission_age_hours: row.max_permission_age_hours,
    hide_in_index_after_hours: row.hide_in_index_after_hours,
    key: null,
    warnings: nodeWarnings(storedNodes(row)).map((warning) => ({
      ...warning,
      subject: { kind: 'workflow' as const, id: row.id, field: 'workflow_nodes' },
    })),
  }
}
