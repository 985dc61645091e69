import { ownAccountOf } from '../connectors/capabilities.ts'
import { parseConfig } from '../connectors/describe.ts'
import type { SourceType } from '../connectors/type.ts'
import { withOpen } from '../connectors/with-open.ts'
import { AppError } from '../errors.ts'
import { hideAll } from '../log/redaction.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import { openSecrets, openUntilClosed } from './connections.ts'
import type { Resources } from './resources.ts'

/** What a person enters to prove an account; never stored. */
type OwnCredentials = { username?: string | undefined; token: string }

/** A person waits. */
const MAX_WAIT_MS = 3_000

/** Whether a person can prove an account with credentials of their own. */
export function canLinkAccounts({ capabilities, signInModes = [] }: SourceType): boolean {
  return capabilities.includes('ownAccount') && signInModes.length > 0
}

/** Signs in to the address of the source with other credentials, and returns their account. */
export async function ownAccountIn(
  resources: Resources,
  row: ConnectorRow,
  { credentials, signal }: { credentials: OwnCredentials; signal: AbortSignal },
): Promise<{ id: string; name: string | null }> {
  const { registry, egress, log, hide } = resources
  const type = registry.source(row.type)
  if (!type || !canLinkAccounts(type))
    throw new AppError('not_possible', `accounts of "${row.name}" cannot be linked`, {
      fix: 'Ask an administrator to add your account to the identities',
    })
  const signInFields = new Set(type.signInModes?.flatMap(({ fields }) => fields.map(({ name }) => name)))
  const stored = openSecrets(resources, row)
  const release = hideAll(hide, [credentials.token])
  const opening = openUntilClosed(release, async () => {
    const settings = Object.entries({ ...row.config, ...stored.secrets })
    const others = Object.fromEntries(settings.filter(([name]) => !signInFields.has(name)))
    const { config } = parseConfig(type, { ...others, ...credentials }, { egress })
    // The schema of the same type has just produced it.
    const own = egress.forWorkspace(row.workspace_id)
    return type.open(config as never, { egress: own, log, maxWaitMs: MAX_WAIT_MS })
  }).finally(stored.release)
  return withOpen(opening, (source) => ownAccountOf(source)(signal))
}
