import { randomUUID } from 'node:crypto'
import { type Config, type Parsed, parseConfig, splitSecrets } from '../../../connectors/describe.ts'
import type { DestinationType, SourceType } from '../../../connectors/type.ts'
import { invalid } from '../../../errors.ts'
import { sealBinding } from '../../../jobs/connections.ts'
import type { Resources } from '../../../jobs/resources.ts'
import { isSandboxConfig } from '../../../jobs/sandbox.ts'
import {
  type ConnectorKind,
  type ConnectorRow,
  insertConnector,
} from '../../../store/connectors/connectors.ts'

type NewConnector = {
  kind: ConnectorKind
  type: SourceType | DestinationType
  /** The name of the type in the request. */
  typeName: string
  name: string
  input: Record<string, unknown>
  /** Only the sandbox may lead into the service's own database. */
  isSandbox?: true
}

/** Stores a connector with sealed secrets; undefined if the name is taken. */
export async function storeConnector(
  { db, vault, egress }: Pick<Resources, 'db' | 'vault' | 'egress'>,
  workspaceId: string,
  { kind, type, typeName, name, input, isSandbox }: NewConnector,
): Promise<ConnectorRow | undefined> {
  const { config, wireNames } = isSandbox
    ? parseConfig(type, input, { egress })
    : parseNewConfig(type, input, { egress })
  const { plain, secrets } = splitSecrets(type, config)
  const id = randomUUID()
  return insertConnector(db, {
    id,
    workspace_id: workspaceId,
    kind,
    type: type.type,
    name,
    config: plain,
    secrets: vault.seal(JSON.stringify(secrets), sealBinding({ workspace_id: workspaceId, id })),
    wire: { type: typeName, fields: wireNames },
  })
}

/** Refuses what only the sandbox may have. */
export function parseNewConfig(
  type: SourceType | DestinationType,
  input: Record<string, unknown>,
  { egress }: Pick<Resources, 'egress'>,
): Parsed {
  const parsed = parseConfig(type, input, { egress })
  refuseSandboxHost(parsed.config)
  return parsed
}

export function refuseSandboxHost(config: Config): void {
  if (isSandboxConfig(config))
    throw invalid(
      ['body', 'config', 'host'],
      'this host is reserved for the sandbox; POST /sandbox creates it',
    )
}
