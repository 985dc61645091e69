import { MASK } from '../../../connectors/describe.ts'
import { SANDBOX_HOST } from '../../../connectors/egress/sandbox-host.ts'
import { AppError, invalid } from '../../../errors.ts'
import type { Resources } from '../../../jobs/resources.ts'
import { isSandboxConfig, NOT_PERMITTED, notPermitted, openSandbox } from '../../../jobs/sandbox.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { type ConnectorRow, deleteConnector, listConnectors } from '../../../store/connectors/connectors.ts'
import type { Database } from '../../../store/database.ts'
import { withLease } from '../../../store/leases.ts'
import { dropSandbox, sandboxName, sandboxPassword, sandboxProblem } from '../../../store/sandbox/sandbox.ts'
import { createWithFreeName } from './free-name.ts'
import { storeConnector } from './new-connector.ts'

const NAME = 'Sandbox'
export const SANDBOX_TABLE = 'elements'
const WAIT_MS = 30_000

export type Actor = { workspaceId: string; actor: string }

export async function findSandbox(db: Database, workspaceId: string): Promise<ConnectorRow | undefined> {
  const all = await listConnectors(db, workspaceId, { kind: 'destination' })
  return all.find(({ config }) => isSandboxConfig(config))
}

/** Why this service offers no sandbox; null if it does. */
export async function sandboxReason({
  db,
  egress,
}: Pick<Resources, 'db' | 'egress'>): Promise<string | null> {
  if (egress.sandbox) return sandboxProblem(db)
  return 'The sandbox is switched off. The service operator can switch it on with MILLRACE_SANDBOX=on'
}

/** Safe to call several times at once. */
export async function findOrCreateSandbox(resources: Resources, caller: Actor): Promise<ConnectorRow> {
  const { db, vault, registry } = resources
  const { workspaceId } = caller
  return oneAtATime(db, workspaceId, async () => {
    const found = await findSandbox(db, workspaceId)
    if (!found) {
      const reason = await sandboxReason(resources)
      if (reason) throw new AppError('not_possible', reason)
    }
    await openSandbox(resources, workspaceId)
    if (found) return found
    const type = registry.destinations.find(({ sandbox }) => sandbox)
    if (!type?.sandbox)
      throw new AppError('not_possible', 'this service has no destination type for a sandbox')
    const role = sandboxName(workspaceId)
    const input = type.sandbox({
      host: SANDBOX_HOST,
      user: role,
      password: sandboxPassword(vault, workspaceId),
      schema: role,
      table: SANDBOX_TABLE,
    })
    const settings = { kind: 'destination', type, typeName: type.type, input, isSandbox: true } as const
    const created = await createWithFreeName(NAME, (name) =>
      storeConnector(resources, workspaceId, { ...settings, name }),
    )
    const subject = { destination_id: created.id, name: created.name }
    await recordAudit(db, { ...caller, action: 'make_sandbox', subject })
    return created
  })
}

/** Deletes the destination with its schema and role. */
export async function deleteSandbox({ db }: Resources, row: ConnectorRow, actor: string): Promise<void> {
  const { workspace_id: workspaceId, id, name } = row
  await oneAtATime(db, workspaceId, async () => {
    await dropSandbox(db, workspaceId).catch((error: { code?: string }) => {
      if (error.code === NOT_PERMITTED) throw notPermitted(workspaceId, error)
      throw error
    })
    await deleteConnector(db, id)
    const subject = { destination_id: id, name }
    await recordAudit(db, { workspaceId, actor, action: 'delete_sandbox', subject })
  })
}

/** Refuses other settings than the stored ones; a form sends all of them. */
export function refuseSandboxChange(row: ConnectorRow, input: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(input)) {
    if (value === null || value === '' || value === MASK) continue
    if (String(value) === String(row.config[name] ?? '')) continue
    throw invalid(['body', 'config', name], 'the settings of the sandbox are fixed; only its name can change')
  }
}

function oneAtATime<T>(db: Database, workspaceId: string, work: () => Promise<T>): Promise<T> {
  const busy = 'another request is creating or deleting the sandbox'
  return withLease(db, { name: `sandbox:${workspaceId}`, busy, waitMs: WAIT_MS }, work)
}
