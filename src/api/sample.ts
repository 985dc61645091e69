import { SAMPLE_URL } from '../connectors/egress/sample-host.ts'
import { AppError } from '../errors.ts'
import type { Resources } from '../jobs/resources.ts'
import { sampleSource } from '../sample/reader.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { type ConnectorRow, listConnectors } from '../store/connectors/connectors.ts'
import type { Database } from '../store/database.ts'
import { createWithFreeName } from './free-name.ts'
import { storeConnector } from './new-connector.ts'
import type { Actor } from './sandbox.ts'

const { type: TYPE, name: NAME, settings: SETTINGS } = sampleSource

export async function findSample(db: Database, workspaceId: string): Promise<ConnectorRow | undefined> {
  const sources = await listConnectors(db, workspaceId, { kind: 'source', type: TYPE })
  return sources.find(({ config }) => isSample(config.url))
}

export function refuseWithoutSample({ egress }: Pick<Resources, 'egress'>): void {
  if (egress.refusal(new URL(SAMPLE_URL)))
    throw new AppError('not_possible', 'the sample wiki is switched off here', {
      fix: 'The service operator can switch it on with MILLRACE_SAMPLE_WIKI=on',
    })
}

/** Safe to call several times at once. */
export async function findOrCreateSample(resources: Resources, caller: Actor): Promise<ConnectorRow> {
  const { db, registry } = resources
  refuseWithoutSample(resources)
  const type = registry.source(TYPE)
  if (!type) throw new AppError('not_possible', `this service has no source type ${TYPE}`)
  return createWithFreeName(NAME, async (name) => {
    const found = await findSample(db, caller.workspaceId)
    if (found) return found
    const created = await storeConnector(resources, caller.workspaceId, {
      kind: 'source',
      type,
      typeName: TYPE,
      name,
      input: { url: SAMPLE_URL, ...SETTINGS },
    })
    // Taken by another source, or by a second click.
    if (!created) return undefined
    const subject = { source_id: created.id, name: created.name }
    await recordAudit(db, { ...caller, action: 'make_sample', subject })
    return created
  })
}

function isSample(url: unknown): boolean {
  return typeof url === 'string' && URL.parse(url)?.origin === SAMPLE_URL
}
