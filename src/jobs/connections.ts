import type { Compute } from '../compute.ts'
import { type Config, secretFields } from '../connectors/describe.ts'
import type { Destination } from '../connectors/destination.ts'
import type { Source } from '../connectors/source.ts'
import type { Context, DestinationType, SourceType } from '../connectors/type.ts'
import { withOpen } from '../connectors/with-open.ts'
import { AppError } from '../errors.ts'
import { hideAll, type Release } from '../log/redaction.ts'
import { type ConnectorRow, readConnector } from '../store/connectors/connectors.ts'
import { sourceDecisions } from '../store/connectors/source-decisions.ts'
import { databasePace } from '../store/sites/shared-pace.ts'
import type { Resources } from './resources.ts'

type SourceOptions = Pick<Context, 'maxWaitMs' | 'share'>

type Unstored<Type> = { type: Type; config: Config; workspaceId: string }

/** Opens stored connectors; no other code decrypts their secrets. */
export interface Connections {
  openSource(id: string, options?: SourceOptions): Promise<Source>
  openDestination(id: string): Promise<Destination>
}

/** Opens connectors with settings that are not stored, too. */
export interface AnyConnections extends Connections {
  openUnstoredSource(unstored: Unstored<SourceType>, options?: SourceOptions): Promise<Source>
  openUnstoredDestination(unstored: Unstored<DestinationType>): Promise<Destination>
}

export function connections(resources: Resources): AnyConnections {
  const { db, egress, registry, log, runners } = resources
  const sharedPace = databasePace(db)
  const computeFor =
    (workspace: string): Compute =>
    async (task, signal) =>
      (await runners.files()).forWorkspace(workspace).compute(task, signal)

  async function load(id: string): Promise<{ row: ConnectorRow; config: never; release: Release }> {
    const row = await readConnector(db, id)
    if (!row) throw new AppError('not_found', `the connector ${id} does not exist any more`)
    const { secrets, release } = openSecrets(resources, row)
    // The config was validated when it was stored; the registry types it as `never`.
    return { row, config: { ...row.config, ...secrets } as never, release }
  }

  function hideSecrets(type: SourceType | DestinationType, config: Config): Release {
    const secrets = secretFields(type).map((field) => config[field])
    return hideAll(
      resources.hide,
      secrets.filter((secret) => typeof secret === 'string'),
    )
  }

  return {
    async openSource(id, options = undefined) {
      const { row, config, release } = await load(id)
      const compute = computeFor(row.workspace_id)
      const context = {
        egress: egress.forWorkspace(row.workspace_id),
        log,
        sharedPace,
        compute,
        decisions: sourceDecisions(db, id),
        ...options,
      }
      return openUntilClosed(release, () => requireType(registry.source(row.type), row).open(config, context))
    },
    async openDestination(id) {
      const { row, config, release } = await load(id)
      const context = { egress: egress.forWorkspace(row.workspace_id), log }
      return openUntilClosed(release, () =>
        requireType(registry.destination(row.type), row).open(config, context),
      )
    },
    openUnstoredSource({ type, config, workspaceId }, options) {
      const compute = computeFor(workspaceId)
      const context = { egress: egress.forWorkspace(workspaceId), log, sharedPace, compute, ...options }
      return openUntilClosed(hideSecrets(type, config), () => type.open(config as never, context))
    },
    openUnstoredDestination({ type, config, workspaceId }) {
      const context = { egress: egress.forWorkspace(workspaceId), log }
      return openUntilClosed(hideSecrets(type, config), () => type.open(config as never, context))
    },
  }
}

export function withSource<T>(
  connections: Pick<Connections, 'openSource'>,
  { sourceId, ...options }: SourceOptions & { sourceId: string },
  work: (source: Source) => Promise<T>,
): Promise<T> {
  return withOpen(connections.openSource(sourceId, options), work)
}

export function withDestination<T>(
  connections: Pick<Connections, 'openDestination'>,
  destinationId: string,
  work: (destination: Destination) => Promise<T>,
): Promise<T> {
  return withOpen(connections.openDestination(destinationId), work)
}

export function sealBinding(connector: { workspace_id: string; id: string }): string {
  return `connector:${connector.workspace_id}:${connector.id}`
}

/** The decrypted secrets, hidden from the log until they are released. */
export function openSecrets(
  { vault, hide }: Pick<Resources, 'vault' | 'hide'>,
  row: ConnectorRow,
): { secrets: Record<string, string>; release: Release } {
  if (!row.secrets) return { secrets: {}, release: () => {} }
  const secrets = JSON.parse(vault.open(row.secrets, sealBinding(row))) as Record<string, string>
  return { secrets, release: hideAll(hide, Object.values(secrets)) }
}

/** Releases the secrets of a connector when it is closed, or if it cannot be opened. */
export async function openUntilClosed<T extends Source | Destination>(
  release: Release,
  open: () => Promise<T>,
): Promise<T> {
  try {
    const opened = await open()
    const close = opened.close.bind(opened)
    // A copy would lose the methods of a class.
    opened.close = () => close().finally(release)
    return opened
  } catch (error) {
    release()
    throw error
  }
}

function requireType<T>(found: T | undefined, row: ConnectorRow): T {
  if (!found)
    throw new AppError('not_found', `"${row.name}" is of type ${row.type}, which this version does not know`)
  return found
}
