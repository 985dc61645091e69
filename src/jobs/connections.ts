import type { Context, Destination, Source } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import { type ConnectorRow, readConnector } from '../store/connectors/connectors.ts'
import { databasePace } from '../store/sites/shared-pace.ts'
import type { Resources } from './resources.ts'

/** Opens stored connectors; no other code decrypts their secrets. */
export interface Connections {
  openSource(id: string, options?: Pick<Context, 'maxWaitMs' | 'share'>): Promise<Source>
  openDestination(id: string): Promise<Destination>
}

export function connections(resources: Resources): Connections {
  const { db, egress, registry, log } = resources
  const sharedPace = databasePace(db)

  async function load(id: string): Promise<{ row: ConnectorRow; config: never }> {
    const row = await readConnector(db, id)
    if (!row) throw new AppError('not_found', `the connector ${id} does not exist any more`)
    // The config was validated when it was stored; the registry types it as `never`.
    return { row, config: { ...row.config, ...openSecrets(resources, row) } as never }
  }

  return {
    async openSource(id, options = undefined) {
      const { row, config } = await load(id)
      return requireType(registry.source(row.type), row).open(config, { egress, log, sharedPace, ...options })
    },
    async openDestination(id) {
      const { row, config } = await load(id)
      return requireType(registry.destination(row.type), row).open(config, { egress, log })
    },
  }
}

export function sealBinding(connector: { workspace_id: string; id: string }): string {
  return `connector:${connector.workspace_id}:${connector.id}`
}

export function openSecrets(
  { vault, hide }: Pick<Resources, 'vault' | 'hide'>,
  row: ConnectorRow,
): Record<string, string> {
  if (!row.secrets) return {}
  const secrets = JSON.parse(vault.open(row.secrets, sealBinding(row))) as Record<string, string>
  for (const secret of Object.values(secrets)) hide(secret)
  return secrets
}

function requireType<T>(found: T | undefined, row: ConnectorRow): T {
  if (!found)
    throw new AppError('not_found', `"${row.name}" is of type ${row.type}, which this version does not know`)
  return found
}
