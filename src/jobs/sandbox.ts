import { isSandboxHost, SANDBOX_HOST, type SandboxDatabase } from '../connectors/egress/sandbox-host.ts'
import { AppError } from '../errors.ts'
import { type ConnectorRow, connectorsOnHost, updateConnector } from '../store/connectors/connectors.ts'
import { ensureSandbox, sandboxName, sandboxPassword } from '../store/sandbox/sandbox.ts'
import { trySignIn } from '../store/sandbox/sign-in.ts'
import { sealBinding } from './connections.ts'
import type { Resources } from './resources.ts'

/** Whether the settings lead into the service's own database. */
export function isSandboxConfig(config: Record<string, unknown>): boolean {
  return typeof config.host === 'string' && isSandboxHost(config.host)
}

/** Creates or repairs role and schema of a workspace unless it can be used. */
export async function openSandbox(
  { db, vault, egress, hide }: Pick<Resources, 'db' | 'vault' | 'egress' | 'hide'>,
  workspaceId: string,
): Promise<{ isRepaired: boolean }> {
  if (!egress.sandbox)
    throw new AppError('not_possible', 'the sandbox is switched off here', {
      fix: 'The service operator can switch it on with MILLRACE_SANDBOX=on',
    })
  const account = { user: sandboxName(workspaceId), password: sandboxPassword(vault, workspaceId) }
  const release = hide(account.password)
  return signInOrRepair({ db, vault, address: egress.sandbox }, { account, workspaceId }).finally(release)
}

type SandboxAccount = { user: string; password: string }

async function signInOrRepair(
  { db, vault, address }: Pick<Resources, 'db' | 'vault'> & { address: SandboxDatabase },
  { account, workspaceId }: { account: SandboxAccount; workspaceId: string },
): Promise<{ isRepaired: boolean }> {
  const isUsable = await trySignIn(address, account).catch(() => false)
  if (isUsable) return { isRepaired: false }
  await ensureSandbox(db, vault, workspaceId).catch((error: { code?: string }) => {
    throw error.code === NOT_PERMITTED ? notPermitted(workspaceId, error) : error
  })
  await trySignIn(address, account).catch((cause) => {
    throw new AppError('not_possible', `the database does not let the role ${account.user} sign in`, {
      cause,
      fix: 'Allow it in pg_hba.conf, and let DATABASE_URL name the server itself, not a pooler',
    })
  })
  return { isRepaired: true }
}

export const NOT_PERMITTED = '42501'

/** The account of the service lost privileges, or a restore gave the sandbox to another account. */
export function notPermitted(workspaceId: string, cause: unknown): AppError {
  const name = sandboxName(workspaceId)
  return new AppError('not_possible', `the database account may not change the sandbox ${name}`, {
    cause,
    fix: `An administrator of the database can grant it CREATEROLE and CREATE on the database, or drop the schema and role ${name}`,
  })
}

/** Roles are not part of a dump, so a restored database may lack them. */
export async function repairSandboxes(resources: Resources): Promise<void> {
  const { db, log } = resources
  for (const row of await connectorsOnHost(db, SANDBOX_HOST)) {
    try {
      const { isRepaired } = await openSandbox(resources, row.workspace_id)
      if (!isRepaired) continue
      await storePassword(resources, row)
      log.info({ destination_id: row.id }, 'the sandbox was repaired')
    } catch (error) {
      log.warn({ err: error, destination_id: row.id }, 'the sandbox cannot be used')
    }
  }
}

/** It changes with the master key. */
async function storePassword({ db, vault }: Resources, row: ConnectorRow): Promise<void> {
  const password = sandboxPassword(vault, row.workspace_id)
  const secrets = vault.seal(JSON.stringify({ password }), sealBinding(row))
  await updateConnector(db, row.id, { config: row.config, wire: row.wire, secrets })
}
