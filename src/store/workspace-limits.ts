import { sql } from 'kysely'
import { AppError } from '../errors.ts'
import type { Database } from './database.ts'

/** What a workspace may have at most; docs/limits.md lists them. */
export const WORKSPACE_LIMITS = {
  sources: 500,
  destinations: 500,
  workflows: 500,
  invitations: 500,
  /** Bytes of the settings of one connector. */
  connectorBytes: 128 * 1024,
  /** Of all sources and destinations together. */
  connectorsBytes: 8 * 1024 * 1024,
  /** Bytes of the nodes of one workflow. */
  nodeBytes: 64 * 1024,
} as const

type CountedKind = 'sources' | 'destinations' | 'workflows' | 'invitations'

const counts = {
  sources: sql`connectors where kind = 'source'`,
  destinations: sql`connectors where kind = 'destination'`,
  workflows: sql`workflows where deleted_at is null`,
  invitations: sql`invitations where expires_at > now()`,
}

/** Refuses one more where the workspace has the maximum. Until the transaction ends no other request takes the place. */
export async function requireRoom(
  transaction: Database,
  workspaceId: string,
  kind: CountedKind,
): Promise<void> {
  await lockWorkspace(transaction, workspaceId)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${counts[kind]} and workspace_id = ${workspaceId}::uuid
  `.execute(transaction)
  const [count, limit] = [rows[0]?.count ?? 0, WORKSPACE_LIMITS[kind]]
  if (count >= limit)
    throw new AppError('not_possible', `this workspace has ${count} ${kind}, the limit is ${limit}`, {
      fix: 'Delete some that are no longer used, or use another workspace',
    })
}

/** Counts what the transaction wrote; call `lockWorkspace` before that. */
export async function requireSettingsRoom(transaction: Database, workspaceId: string): Promise<void> {
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(sum(octet_length(config::text)), 0) as bytes from connectors
    where workspace_id = ${workspaceId}::uuid
  `.execute(transaction)
  const [bytes, limit] = [Number(rows[0]?.bytes ?? 0), WORKSPACE_LIMITS.connectorsBytes]
  if (bytes > limit)
    throw new AppError(
      'not_possible',
      `the settings of all connectors of this workspace would have ${bytes} bytes, the limit is ${limit}`,
      { fix: 'Shorten long lists, or delete connectors that are no longer used' },
    )
}

/** Before connectors and workflows, so that requests do not wait for each other in a circle. */
export async function lockWorkspace(transaction: Database, workspaceId: string): Promise<void> {
  await sql`select from workspaces where id = ${workspaceId}::uuid for no key update`.execute(transaction)
}
