import type { Registry } from '../connectors/registry.ts'
import { readerChange } from '../connectors/target.ts'
import { AppError } from '../errors.ts'
import { forgetProvedIdentities } from '../store/accounts/identities.ts'
import { type ConnectorRow, holdConnectors, raiseRevision } from '../store/connectors/connectors.ts'
import { forgetNames } from '../store/connectors/principal-names.ts'
import { sitesOf } from '../store/connectors/sites.ts'
import { forgetMemberships } from '../store/connectors/stored-memberships.ts'
import type { Database } from '../store/database.ts'
import { readingJobOf } from '../store/jobs/jobs.ts'
import { forgetProofs } from '../store/ledger/forget-proofs.ts'
import {
  lockWorkflows,
  storeEstimate,
  type WorkflowRow,
  workflowsUsing,
} from '../store/workflows/workflows.ts'

type ChangeWarning = { code: 'site_changed' | 'account_changed'; message: string }

/**
 * Forgets what was proved with the settings before, if they lead to another site or account. Refuses while a job reads
 * the source. Call it in the transaction that stores the settings, after `lockConnector`.
 */
export async function leaveSite(
  transaction: Database,
  {
    before,
    after,
    registry,
  }: { before: ConnectorRow; after: Pick<ConnectorRow, 'config'>; registry: Registry },
): Promise<ChangeWarning[]> {
  const type = registry.source(before.type)
  const code = type && readerChange(type, before.config, after.config)
  if (!code) return []
  const workflows = await workflowsUsing(transaction, before.id)
  const ids = workflows.map(({ id }) => id)
  await lockWorkflows(transaction, ids)
  await refuseWhileReading(transaction, before, ids)
  for (const id of ids) await forgetProofs(transaction, id)
  const sites = await sitesOf(transaction, { workflowIds: ids, sourceId: before.id })
  await forgetNames(transaction, { workspaceId: before.workspace_id, sites })
  await forgetMemberships(transaction, before.id)
  // The account that reads them does not change whose accounts they are.
  if (code === 'site_changed') await forgetProvedIdentities(transaction, before.id)
  await raiseRevision(transaction, before.id)
  return workflows.length > 0 ? [{ code, message: messageOf(code, workflows) }] : []
}

type NewConnectors = { sourceId: string | null; destinationId: string | null; registry: Registry }

/** Call it in the transaction that gives a workflow other connectors. */
export async function changeConnectors(
  transaction: Database,
  workflow: WorkflowRow,
  { sourceId, destinationId, registry }: NewConnectors,
): Promise<void> {
  // Before the workflow, in the order of `leaveSite`.
  const ids = [workflow.source_id, sourceId, destinationId].filter((id) => id !== null)
  const connectors = await holdConnectors(transaction, ids)
  await lockWorkflows(transaction, [workflow.id])
  const job = await readingJobOf(transaction, [workflow.id])
  if (job) throw new AppError('job_active', `job ${job.id} is running; its connectors cannot change now`)
  await storeEstimate(transaction, workflow.id, null)
  const [before, after] = [workflow.source_id, sourceId].map((id) =>
    connectors.find((each) => each.id === id),
  )
  if (after && !isSameReader(registry, before, after)) await forgetProofs(transaction, workflow.id)
}

function isSameReader(registry: Registry, before: ConnectorRow | undefined, after: ConnectorRow): boolean {
  const type = registry.source(after.type)
  return type !== undefined && before?.type === after.type && !readerChange(type, before.config, after.config)
}

async function refuseWhileReading(
  transaction: Database,
  { name }: ConnectorRow,
  workflowIds: string[],
): Promise<void> {
  const job = await readingJobOf(transaction, workflowIds)
  if (!job) return
  throw new AppError(
    'job_active',
    `job ${job.id} of the workflow "${job.workflow_name}" reads "${name}", whose address and account cannot change meanwhile`,
    { fix: 'Wait for it or cancel it' },
  )
}

function messageOf(code: ChangeWarning['code'], workflows: WorkflowRow[]): string {
  const what = code === 'site_changed' ? 'the source has another address' : 'the source has another account'
  const named = workflows.map(({ name }) => `"${name}"`).join(', ')
  const until =
    code === 'site_changed'
      ? 'a run has listed the new address'
      : 'a permission pass has read their permissions'
  return `${what}: all documents of ${named} are hidden until ${until}`
}
