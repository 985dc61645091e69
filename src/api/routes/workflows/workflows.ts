import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AppError, invalid, notFound } from '../../../errors.ts'
import { stopJob } from '../../../jobs/job-outcome.ts'
import { refuseOtherWriters } from '../../../jobs/swap/refusals.ts'
import type { ConfiguredProviders } from '../../../pipeline/models/providers.ts'
import { nodeWarnings, parseNodes, storedNodes } from '../../../pipeline/nodes.ts'
import { findTemplate } from '../../../pipeline/templates.ts'
import {
  type ConnectorKind,
  type ConnectorRow,
  readConnectorIn,
} from '../../../store/connectors/connectors.ts'
import type { Database } from '../../../store/database.ts'
import { activeJobOf } from '../../../store/jobs/jobs.ts'
import { listProvedScopes, oldestProof } from '../../../store/workflows/freshness.ts'
import {
  deleteWorkflow,
  insertWorkflow,
  listWorkflows,
  readWorkflowIn,
  updateWorkflow,
  type WorkflowRow,
} from '../../../store/workflows/workflows.ts'
import { nextRunAt } from '../../../workflows/due-runs.ts'
import { startWithFiles } from '../../../workflows/files.ts'
import { startPermissionPass } from '../../../workflows/permission-passes.ts'
import { deleteWithElements } from '../../../workflows/remove-elements.ts'
import {
  DEFAULT_TIMEZONE,
  parseTimezone,
  permissionsPhrase,
  SCHEDULE_PATTERN,
  scheduleToCron,
} from '../../../workflows/schedule.ts'
import { changeConnectors } from '../../../workflows/source-change.ts'
import { startJob } from '../../../workflows/start.ts'
import { ledgerTarget, refuseSharedTarget, takeOverLedger } from '../../../workflows/target.ts'
import { type ApiContext, type App, callerOf, isId } from '../../http/context.ts'
import { acceptForms, type FormFile, withForm } from '../../http/forms/form.ts'
import { announceNext, offsetQuery, textQuery, textRangeOf, toTextCursor } from '../../http/list-page.ts'
import { freshnessShape, jobShape, workflowShape } from '../../shapes/resources.ts'
import { BOOLEAN_WORDS, NOT_BLANK } from '../../shapes/rules.ts'
import { checkNodes } from '../connectors/setting-limits.ts'
import { jobResponse } from '../jobs/jobs.ts'
import { UPLOAD_BYTES } from '../jobs/on-demand.ts'
import { freshnessFields, freshnessOf, parseFreshnessSettings, scheduleOf } from './workflow-freshness.ts'

const tags = ['workflows']
const params = z.object({ id: z.string() })

export async function workflowRoutes(app: App, context: ApiContext): Promise<void> {
  const { resources, engine, reads } = context
  const { db, registry } = resources
  const find = (workspaceId: string, id: string) => findWorkflow(db, workspaceId, id)

  function nodesOf(body: {
    workflow_nodes?: unknown[] | null | undefined
    template_id?: string | null | undefined
  }) {
    const { configured } = resources.runners
    checkNodes(body.workflow_nodes, ['body', 'workflow_nodes'])
    return parseNodes(body.workflow_nodes ?? templateNodes(body.template_id, configured), { configured })
  }

  /** A connector that a body names; it has to exist in the caller's workspace. */
  async function findConnector(workspaceId: string, kind: ConnectorKind, id: string): Promise<ConnectorRow> {
    const row = isId(id) ? await readConnectorIn(db, workspaceId, { kind, id }) : undefined
    if (!row) throw invalid(['body', `${kind}_id`], `${kind} ${id} does not exist`)
    return row
  }

  async function targetFor(workflow: {
    id: string
    workspaceId: string
    sourceId: string | null
    destinationId: string | null
  }): Promise<string | null> {
    const { workspaceId, sourceId, destinationId } = workflow
    const source = sourceId ? await findConnector(workspaceId, 'source', sourceId) : null
    const destination = destinationId ? await findConnector(workspaceId, 'destination', destinationId) : null
    if (!source || !destination) return null
    const target = ledgerTarget(resources.registry, source, destination)
    await refuseSharedTarget(db, workflow, target)
    return target
  }

  /** Refuses a swap if another workflow writes to the same alias. */
  async function refuseSwap(workflow: { id: string; workspaceId: string; destinationId: string | null }) {
    const { id, workspaceId, destinationId } = workflow
    if (!destinationId) return
    const destination = await findConnector(workspaceId, 'destination', destinationId)
    const type = resources.registry.destination(destination.type)
    if (!type?.capabilities.includes('swap'))
      throw invalid(['body', 'swap_index'], `${type?.title ?? destination.type} cannot be swapped`)
    await refuseOtherWriters(resources, id, destination)
  }

  app.get(
    '/workflows',
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags, querystring: listing, response: { 200: z.array(workflowShape) } },
    },
    async (request, reply) => {
      const query = request.query
      const limit = query.limit ?? query.page_size
      const offset = query.cursor === undefined ? (query.page - 1) * limit : Number(query.cursor)
      const rows = await listWorkflows(db, callerOf(request).workspaceId, {
        ...(query.source_id ? { sourceId: query.source_id } : {}),
        ...(query.destination_id ? { destinationId: query.destination_id } : {}),
        ...(query.status ? { status: query.status } : {}),
        ...(query.name ? { name: query.name } : {}),
        ...(query.created_since ? { createdSince: new Date(query.created_since) } : {}),
        ...(query.created_before ? { createdBefore: new Date(query.created_before) } : {}),
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
      schema: { tags, body: creation, response: { 200: workflowShape } },
    },
    async (request) => {
      const body = request.body
      const workspaceId = callerOf(request).workspaceId
      const id = randomUUID()
      const ids = {
        id,
        workspaceId,
        sourceId: body.source_id || null,
        destinationId: body.destination_id || null,
      }
      // Invalid bodies get a 422 before conflicts get a 409.
      const timing = timingOf(body)
      const schedule = scheduleOf(timing)
      const freshness = parseFreshnessSettings(body, { schedule })
      const nodes = nodesOf(body)
      const target = await targetFor(ids)
      if (body.swap_index) await refuseSwap(ids)
      const row = await insertWorkflow(db, {
        id,
        workspace_id: workspaceId,
        name: body.name,
        source_id: ids.sourceId,
        destination_id: ids.destinationId,
        workflow_type: toWireType(body.workflow_type),
        nodes,
        ...timing,
        next_run_at: schedule && nextRunAt(id, schedule, new Date()),
        reprocess_all: body.reprocess_all ?? false,
        swap_index: body.swap_index ?? false,
        state: 'active',
        target,
        ...freshness,
      })
      if (!row) throw nameTaken(body.name)
      await takeOverLedger(db, row)
      return toWorkflow(row)
    },
  )

  app.get(
    '/workflows/:id',
    { config: { allows: 'viewer', keys: true }, schema: { tags, params, response: { 200: workflowShape } } },
    async (request) => toWorkflow(await find(callerOf(request).workspaceId, request.params.id)),
  )

  app.put(
    '/workflows/:id',
    {
      config: { allows: 'operator', keys: true },
      schema: { tags, params, body: change, response: { 200: workflowShape } },
    },
    async (request) => {
      const body = request.body
      const workspaceId = callerOf(request).workspaceId
      const row = await find(workspaceId, request.params.id)
      const timing = timingOf(body, row)
      const schedule = scheduleOf(timing)
      const freshness = parseFreshnessSettings(body, { schedule, before: row })
      const nodes = body.workflow_nodes || body.template_id ? nodesOf(body) : null
      const active = await activeJobOf(db, row.id)
      const sourceId = body.source_id === undefined ? row.source_id : body.source_id || null
      const destinationId =
        body.destination_id === undefined ? row.destination_id : body.destination_id || null
      const changesConnectors = sourceId !== row.source_id || destinationId !== row.destination_id
      if (changesConnectors && active)
        throw new AppError('job_active', `job ${active} is running; its connectors cannot change now`)
      const target = await targetFor({ id: row.id, workspaceId, sourceId, destinationId })
      const swapsIndex = body.swap_index ?? row.swap_index
      if (swapsIndex && (changesConnectors || !row.swap_index))
        await refuseSwap({ id: row.id, workspaceId, destinationId })
      const state = body.state ?? row.state
      if (changesConnectors) await stopPass(db, row.id)
      const change = {
        ...(body.name ? { name: body.name } : {}),
        ...(body.workflow_type ? { workflow_type: toWireType(body.workflow_type) } : {}),
        ...(nodes ? { nodes } : {}),
        ...(typeof body.reprocess_all === 'boolean' ? { reprocess_all: body.reprocess_all } : {}),
        ...(typeof body.swap_index === 'boolean' ? { swap_index: body.swap_index } : {}),
        source_id: sourceId,
        destination_id: destinationId,
        ...timing,
        state,
        ...(changesRuns(row, { ...timing, state })
          ? { next_run_at: state === 'active' && schedule ? nextRunAt(row.id, schedule, new Date()) : null }
          : {}),
        target,
        ...freshness,
      }
      const store = async (transaction: Database) => {
        if (changesConnectors) await changeConnectors(transaction, row, { sourceId, destinationId, registry })
        return updateWorkflow(transaction, row.id, change)
      }
      const changed = await db
        .transaction()
        .execute(store)
        .catch((error: { code?: string }) => {
          throw error.code === UNIQUE_VIOLATION ? nameTaken(body.name ?? '') : error
        })
      return toWorkflow(changed)
    },
  )

  app.delete(
    '/workflows/:id',
    {
      config: { allows: 'operator', keys: true },
      schema: { tags, params, querystring: deletion, response: { 200: z.object({}) } },
    },
    async (request) => {
      const { workspaceId, actor } = callerOf(request)
      const row = await find(workspaceId, request.params.id)
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
      schema: { tags, params, querystring: textQuery, response: { 200: freshnessShape } },
    },
    async (request, reply) => {
      const { workspaceId } = callerOf(request)
      const workflow = await find(workspaceId, request.params.id)
      const [{ rows: scopes, next }, oldest] = await reads.run(workspaceId, (transaction) =>
        Promise.all([
          listProvedScopes(transaction, workflow, textRangeOf(request.query)),
          oldestProof(transaction, workflow.id),
        ]),
      )
      announceNext(request, reply, next && toTextCursor(next))
      return freshnessOf(workflow, { scopes, oldest })
    },
  )

  app.post(
    '/workflows/:id/sync-permissions',
    { config: { allows: 'operator', keys: true }, schema: { tags, params, response: { 202: jobShape } } },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      // Also for inactive workflows: a pass only makes permissions newer.
      const workflow = await find(workspaceId, request.params.id)
      const job = await startPermissionPass(
        workflow,
        { jobType: 'persistent', startedBy: actor },
        { db, engine },
      )
      return reply.code(202).send(await jobResponse(db, job))
    },
  )

  await app.register(async (scope) => runRoute(scope as App, context))
}

/** In a scope of its own, since it accepts a form with files. */
async function runRoute(app: App, { resources, engine, uploads }: ApiContext): Promise<void> {
  const { db } = resources
  await acceptForms(app, { fileBytes: UPLOAD_BYTES })
  app.post(
    '/workflows/:id/run',
    {
      config: { allows: 'operator', keys: true, takesFiles: true },
      schema: { tags, params, response: { 202: jobShape } },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const workflow = await findWorkflow(db, workspaceId, request.params.id)
      const starting = { jobType: 'persistent', startedBy: actor } as const
      const start = async (files: FormFile[]) => {
        if (files.length === 0) return startJob(workflow, starting, { db, engine })
        if (workflow.source_id || workflow.destination_id)
          throw invalid(
            ['body', 'input_files'],
            'files can only be sent to a workflow that has neither source nor destination',
          )
        const fileJob = { ...starting, workspaceId, nodes: storedNodes(workflow), workflow }
        return startWithFiles(files, fileJob, { db, engine, quotas: resources.uploadQuotas })
      }
      const job = request.isMultipart()
        ? await withForm(request, { uploads, fileField: 'input_files' }, ({ files }) => start(files))
        : await start([])
      return reply.code(202).send(await jobResponse(db, job))
    },
  )
}

async function findWorkflow(db: Database, workspaceId: string, id: string): Promise<WorkflowRow> {
  const row = isId(id) ? await readWorkflowIn(db, workspaceId, id) : undefined
  if (!row) throw notFound('Workflow')
  return row
}

/** It reads and writes with connectors that the workflow no longer has. */
async function stopPass(db: Database, workflowId: string): Promise<void> {
  const pass = await activeJobOf(db, workflowId, 'permissions')
  if (pass) await stopJob(db, pass)
}

type Timing = Pick<WorkflowRow, 'schedule' | 'schedule_timezone'>

/** Absent fields keep their value. */
function timingOf(
  body: { schedule?: string | null | undefined; schedule_timezone?: string | null | undefined },
  before: Timing = { schedule: null, schedule_timezone: DEFAULT_TIMEZONE },
): Timing {
  const { schedule, schedule_timezone: timezone } = body
  return {
    schedule: schedule === undefined ? before.schedule : schedule ? scheduleToCron(schedule) : null,
    schedule_timezone:
      timezone === undefined ? before.schedule_timezone : parseTimezone(timezone || DEFAULT_TIMEZONE),
  }
}

/** Whether the next run is at another time than before; a due run stays due otherwise. */
function changesRuns(before: WorkflowRow, now: Timing & { state: string }): boolean {
  const { schedule, schedule_timezone: timezone, state } = before
  return schedule !== now.schedule || timezone !== now.schedule_timezone || state !== now.state
}

const UNIQUE_VIOLATION = '23505'

const name = z.string().trim().min(1, 'a name is needed').max(255, 'at most 255 characters').meta(NOT_BLANK)
const connectorId = z.string().nullish()

const creation = z.strictObject({
  name,
  workflow_type: z.enum(['basic', 'advanced', 'platinum', 'custom', 'template', 'auto']).default('custom'),
  source_id: connectorId,
  destination_id: connectorId,
  workflow_nodes: z.array(z.unknown()).nullish(),
  template_id: z.string().nullish(),
  schedule: z
    .string()
    .max(200, 'at most 200 characters')
    .meta({ pattern: SCHEDULE_PATTERN })
    .describe('A phrase such as `daily`, or a cron expression of five fields')
    .nullish(),
  schedule_timezone: z
    .string()
    .describe('The zone of the schedule, such as `Europe/Berlin`; `UTC` by default')
    .nullish(),
  reprocess_all: z.boolean().nullish(),
  swap_index: z.boolean().nullish(),
  ...freshnessFields,
  key: z.string().nullish(),
})

const change = creation.partial().extend({
  name: name.nullish(),
  workflow_type: creation.shape.workflow_type.unwrap().nullish(),
  state: z.enum(['active', 'inactive']).nullish(),
})

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

function templateNodes(id: string | null | undefined, configured: ConfiguredProviders): unknown {
  if (!id) return null
  const template = findTemplate(id, configured)
  if (!template) throw invalid(['body', 'template_id'], `template ${id} does not exist`)
  return template.nodes
}

/** Clients break on any other than these four values. */
function toWireType(type: string): string {
  return type === 'template' || type === 'auto' ? 'custom' : type
}

function nameTaken(taken: string): AppError {
  return new AppError('name_taken', `a workflow named "${taken}" exists already`, {
    fix: 'Choose another name',
  })
}

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
