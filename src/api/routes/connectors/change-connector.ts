import { mergeUpdate, splitSecrets } from '../../../connectors/describe.ts'
import { AppError, notFound } from '../../../errors.ts'
import { openSecrets, sealBinding } from '../../../jobs/connections.ts'
import type { Resources } from '../../../jobs/resources.ts'
import {
  type ConnectorChange,
  type ConnectorKind,
  type ConnectorRow,
  lockConnector,
  updateConnector,
} from '../../../store/connectors/connectors.ts'
import { lockWorkspace, requireSettingsRoom } from '../../../store/workspace-limits.ts'
import { leaveSite } from '../../../workflows/source-change.ts'
import { refuseWhileRemoving, retarget } from '../../../workflows/target.ts'
import { noConnector } from './connector-in.ts'
import { refuseSandboxHost } from './new-connector.ts'

/** The settings after an update. */
export function mergeSettings(resources: Resources, row: ConnectorRow, input: object): ConnectorChange {
  const { egress, registry, vault } = resources
  const type = registry[row.kind](row.type)
  if (!type) throw notFound('Connector type')
  const { secrets: storedSecrets, release } = readSecrets(resources, row)
  // They only take part in the comparison.
  release()
  const stored = { plain: row.config, secrets: storedSecrets, wireNames: row.wire.fields }
  const { config, wireNames } = mergeUpdate(type, stored, { input, egress })
  refuseSandboxHost(config)
  const { plain, secrets } = splitSecrets(type, config)
  return {
    config: plain,
    secrets: vault.seal(JSON.stringify(secrets), sealBinding(row)),
    wire: { type: row.wire.type, fields: wireNames },
  }
}

/** An unreadable secret can be entered again. */
function readSecrets(resources: Resources, row: ConnectorRow): ReturnType<typeof openSecrets> {
  try {
    return openSecrets(resources, row)
  } catch (error) {
    if (error instanceof AppError && error.code === 'secret_unreadable')
      return { secrets: {}, release: () => {} }
    throw error
  }
}

/** In one transaction, so that no job starts with settings of one site and proofs of another. */
export function storeChange({ db, registry }: Resources, row: ConnectorRow, change: ConnectorChange) {
  const { kind } = row
  return db.transaction().execute(async (transaction) => {
    if (change.config) await lockWorkspace(transaction, row.workspace_id)
    const before = await lockConnector(transaction, row.id)
    if (!before) throw noConnector(kind)
    const after = { ...before, ...(change.config ? { config: change.config } : {}) }
    const context = { db: transaction, registry }
    await refuseWhileRemoving(context, before, after)
    const warnings = kind === 'source' ? await leaveSite(transaction, { before, after, registry }) : []
    const changed = await updateConnector(transaction, row.id, change)
    if (!changed) throw nameTaken(kind, change.name ?? row.name)
    if (change.config) {
      await requireSettingsRoom(transaction, row.workspace_id)
      await retarget(context, changed)
    }
    return { changed, warnings }
  })
}

export function nameTaken(kind: ConnectorKind, name: string): AppError {
  return new AppError('name_taken', `a ${kind} named "${name}" exists already`, {
    fix: 'Choose another name',
  })
}
