import type { Registry } from '../../../connectors/registry.ts'
import type { SampleOffer, SourceType } from '../../../connectors/type.ts'
import { AppError } from '../../../errors.ts'
import type { Resources } from '../../../jobs/resources.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { type ConnectorRow, listConnectors } from '../../../store/connectors/connectors.ts'
import type { Database } from '../../../store/database.ts'
import type { Actor } from './add-sandbox.ts'
import { createWithFreeName } from './free-name.ts'
import { storeConnector } from './new-connector.ts'

type OfferedSample = { type: SourceType; offer: SampleOffer }

/** The sample of this service; null if there is none, or if it is switched off. */
export async function offeredSample({ sources }: Registry): Promise<OfferedSample | null> {
  const type = sources.find(({ sample }) => sample)
  const offer = await type?.sample?.()
  return type && offer ? { type, offer } : null
}

export const SAMPLE_OFF =
  'The sample wiki is switched off. The service operator can switch it on with MILLRACE_SAMPLE_WIKI=on'

export async function requireSample(registry: Registry): Promise<OfferedSample> {
  const offered = await offeredSample(registry)
  if (offered) return offered
  throw new AppError('not_possible', SAMPLE_OFF)
}

export async function findSample(
  db: Database,
  workspaceId: string,
  { type }: Pick<SourceType, 'type'>,
): Promise<ConnectorRow | undefined> {
  const [source] = await listConnectors(db, workspaceId, { kind: 'source', type })
  return source
}

/** Safe to call several times at once. */
export async function findOrCreateSample(resources: Resources, caller: Actor): Promise<ConnectorRow> {
  const { db, registry } = resources
  const { type, offer } = await requireSample(registry)
  return createWithFreeName(offer.name, async (name) => {
    const found = await findSample(db, caller.workspaceId, type)
    if (found) return found
    const created = await storeConnector(resources, caller.workspaceId, {
      kind: 'source',
      type,
      typeName: type.type,
      name,
      input: {},
    })
    // Taken by another source, or by a second click.
    if (!created) return undefined
    const subject = { source_id: created.id, name: created.name }
    await recordAudit(db, { ...caller, action: 'make_sample', subject })
    return created
  })
}
