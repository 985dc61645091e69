import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AppError, invalid } from '../../../errors.ts'
import { stopJob } from '../../../jobs/job-outcome.ts'
import type { Resources } from '../../../jobs/resources.ts'
import { refuseOtherWriters } from '../../../jobs/swap/refusals.ts'
import type { ConfiguredProviders } from '../../../pipeline/models/providers.ts'
import { parseNodes } from '../../../pipeline/nodes.ts'
import { findTemplate } from '../../../pipeline/templates.ts'
import {
  type ConnectorKind,
  type ConnectorRow,
  readConnectorIn,
} from '../../../store/connectors/connectors.ts'
import type { Database } from '../../../store/database.ts'
import { activeJobOf } from '../../../store/jobs/jobs.ts'
import { insertWorkflow, updateWorkflow, type WorkflowRow } from '../../../store/workflows/workflows.ts'
import { nextRunAt } from '../../../workflows/due-runs.ts'
import {
  DEFAULT_TIMEZONE,
  parseTimezone,
  SCHEDULE_PATTERN,
  scheduleToCron,
} from '../../../workflows/schedule.ts'
import { changeConnectors } from '../../../workflows/source-change.ts'
import { ledgerTarget, refuseSharedTarget, takeOverLedger } from '../../../workflows/target.ts'
import { isId } from '../../http/context.ts'
import { NOT_BLANK } from '../../shapes/rules.ts'
import { checkNodes } from '../connectors/setting-limits.ts'
import { freshnessFields, parseFreshnessSettings, scheduleOf } from './workflow-freshness.ts'

const name = z.string().trim().min(1, 'a name is needed').max(255, 'at most 255 characters').meta(NOT_BLANK)
const connectorId = z.string().nullish()

export const newWorkflow = z.strictObject({
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

export const workflowChange = newWorkflow.partial().extend({
  name: name.nullish(),
  workflow_type: newWorkflow.shape.workflow_type.unwrap().nullish(),
  state: z.enum(['active', 'inactive']).nullish(),
})

export async function createWorkflow(
  resources: Resources,
  workspaceId: string,
  body: z.infer<typeof newWorkflow>,
): Promise<WorkflowRow> {
  const { db } = resources
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
  const nodes = nodesOf(resources, body)
  const target = await targetFor(resources, ids)
  if (body.swap_index) await refuseSwap(resources, ids)
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
  return row
}

export async function changeWorkflow(
  resources: Resources,
  row: WorkflowRow,
  body: z.infer<typeof workflowChange>,
): Promise<WorkflowRow> {
  const { db, registry } = resources
  const { workspace_id: workspaceId } = row
  const timing = timingOf(body, row)
  const schedule = scheduleOf(timing)
  const freshness = parseFreshnessSettings(body, { schedule, before: row })
  const nodes = body.workflow_nodes || body.template_id ? nodesOf(resources, body) : null
  const active = await activeJobOf(db, row.id)
  const sourceId = body.source_id === undefined ? row.source_id : body.source_id || null
  const destinationId = body.destination_id === undefined ? row.destination_id : body.destination_id || null
  const changesConnectors = sourceId !== row.source_id || destinationId !== row.destination_id
  if (changesConnectors && active)
    throw new AppError('job_active', `job ${active} is running; its connectors cannot change now`)
  const target = await targetFor(resources, { id: row.id, workspaceId, sourceId, destinationId })
  const swapsIndex = body.swap_index ?? row.swap_index
  if (swapsIndex && (changesConnectors || !row.swap_index))
    await refuseSwap(resources, { id: row.id, workspaceId, destinationId })
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
  return db
    .transaction()
    .execute(store)
    .catch((error: { code?: string }) => {
      throw error.code === UNIQUE_VIOLATION ? nameTaken(body.name ?? '') : error
    })
}

/** It reads and writes with connectors that the workflow no longer has. */
export async function stopPass(db: Database, workflowId: string): Promise<void> {
  const pass = await activeJobOf(db, workflowId, 'permissions')
  if (pass) await stopJob(db, pass)
}

function nodesOf(
  { runners: { configured } }: Resources,
  body: { workflow_nodes?: unknown[] | null | undefined; template_id?: string | null | undefined },
) {
  checkNodes(body.workflow_nodes, ['body', 'workflow_nodes'])
  return parseNodes(body.workflow_nodes ?? templateNodes(body.template_id, configured), { configured })
}

/** A connector that a body names; it has to exist in the caller's workspace. */
async function findConnector(
  db: Database,
  workspaceId: string,
  { kind, id }: { kind: ConnectorKind; id: string },
): Promise<ConnectorRow> {
  const row = isId(id) ? await readConnectorIn(db, workspaceId, { kind, id }) : undefined
  if (!row) throw invalid(['body', `${kind}_id`], `${kind} ${id} does not exist`)
  return row
}

type WorkflowConnectors = {
  id: string
  workspaceId: string
  sourceId: string | null
  destinationId: string | null
}

async function targetFor({ db, registry }: Resources, workflow: WorkflowConnectors): Promise<string | null> {
  const { workspaceId, sourceId, destinationId } = workflow
  const find = (kind: ConnectorKind, id: string | null) => id && findConnector(db, workspaceId, { kind, id })
  const source = await find('source', sourceId)
  const destination = await find('destination', destinationId)
  if (!source || !destination) return null
  const target = ledgerTarget(registry, source, destination)
  await refuseSharedTarget(db, workflow, target)
  return target
}

/** Refuses a swap if another workflow writes to the same alias. */
async function refuseSwap(
  { db, registry }: Resources,
  { id, workspaceId, destinationId }: Omit<WorkflowConnectors, 'sourceId'>,
): Promise<void> {
  if (!destinationId) return
  const destination = await findConnector(db, workspaceId, { kind: 'destination', id: destinationId })
  const type = registry.destination(destination.type)
  if (!type?.capabilities.includes('swap'))
    throw invalid(['body', 'swap_index'], `${type?.title ?? destination.type} cannot be swapped`)
  await refuseOtherWriters({ db, registry }, id, destination)
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
