import { randomUUID } from 'node:crypto'
import { parseNodes } from '../../../pipeline/nodes.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import type { ConnectorRow } from '../../../store/connectors/connectors.ts'
import { ACTIVE_STATUSES, latestJobOf } from '../../../store/jobs/jobs.ts'
import { withLease } from '../../../store/leases.ts'
import { hasSandboxTable } from '../../../store/sandbox/sandbox.ts'
import { insertWorkflow, type WorkflowRow, workflowsOfTarget } from '../../../store/workflows/workflows.ts'
import { DEFAULT_TIMEZONE } from '../../../workflows/schedule.ts'
import { startJob } from '../../../workflows/start.ts'
import { ledgerTarget, takeOverLedger } from '../../../workflows/target.ts'
import type { ApiContext } from '../../http/context.ts'
import { parseFreshnessSettings } from '../workflows/workflow-freshness.ts'
import { type Actor, findOrCreateSandbox, SANDBOX_TABLE } from './add-sandbox.ts'
import { createWithFreeName } from './free-name.ts'
import { findOrCreateSample, requireSample } from './sample.ts'

type SampleTry = { source: ConnectorRow; destination: ConnectorRow; workflowId: string; jobId: string }

const NAME = 'Sample wiki to sandbox'
const WAIT_MS = 30_000

/** The sample source in the sandbox, with a job. Creates only what is missing; safe to call several times at once. */
export async function trySample(context: ApiContext, caller: Actor): Promise<SampleTry> {
  const { resources, engine } = context
  const { db } = resources
  const { workspaceId, actor } = caller
  await requireSample(resources.registry)
  const busy = 'another request is creating the same workflow'
  return withLease(db, { name: `try:${workspaceId}`, busy, waitMs: WAIT_MS }, async () => {
    const destination = await findOrCreateSandbox(resources, caller)
    const source = await findOrCreateSample(resources, caller)
    const workflow = await findOrCreateWorkflow(context, { source, destination })
    const latest = await latestJobOf(db, workspaceId, workflow.id)
    // Documents that failed, as in a full sandbox, are tried again.
    const isFilled =
      latest?.processing_status === 'SUCCESS' &&
      (await hasSandboxTable(db, { workspaceId, table: SANDBOX_TABLE }))
    const isUsable = latest && (isFilled || ACTIVE_STATUSES.includes(latest.status))
    const job = isUsable
      ? latest
      : await startJob(workflow, { jobType: 'persistent', startedBy: actor }, { db, engine })
    if (!isUsable) {
      const subject = { workflow_id: workflow.id, name: workflow.name, job_id: job.id }
      await recordAudit(db, { workspaceId, actor, action: 'try_sample', subject })
    }
    return { source, destination, workflowId: workflow.id, jobId: job.id }
  })
}

async function findOrCreateWorkflow(
  { resources: { db, registry } }: ApiContext,
  { source, destination }: { source: ConnectorRow; destination: ConnectorRow },
): Promise<WorkflowRow> {
  const workspaceId = source.workspace_id
  const target = ledgerTarget(registry, source, destination)
  const same = await workflowsOfTarget(db, workspaceId, target)
  const found = same.find(({ deleted_at: deleted }) => deleted === null)
  if (found) return found
  const row = await createWithFreeName(NAME, (name) =>
    insertWorkflow(db, {
      id: randomUUID(),
      workspace_id: workspaceId,
      name,
      source_id: source.id,
      destination_id: destination.id,
      workflow_type: 'custom',
      nodes: parseNodes(null),
      schedule: null,
      schedule_timezone: DEFAULT_TIMEZONE,
      next_run_at: null,
      reprocess_all: false,
      swap_index: false,
      state: 'active',
      target,
      ...parseFreshnessSettings({}, { schedule: null }),
    }),
  )
  await takeOverLedger(db, row)
  return row
}
