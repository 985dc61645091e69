import type {
  Connector as AnyConnector,
  ConnectorType as AnyType,
  Destination,
  Verdict,
} from '../../../../packages/millrace-client/src/schema.ts'
import type { ObjectSchema, Values } from '../../schema-form/schema.ts'

export type {
  ConnectionCheck as Check,
  Repair as RepairResponse,
  /** The ledger compared with the destination. */
  Verdict as Verification,
  /** A comparison or repair that takes longer. */
  Verification as VerificationJob,
} from '../../../../packages/millrace-client/src/schema.ts'

/** Only destinations can be a sandbox. */
export type Connector = AnyConnector &
  Partial<Pick<Destination, 'sandbox'>> & {
    /** After a change: what it hides. */
    warnings?: { code: 'site_changed' | 'account_changed' }[]
  }

export type Kind = 'source' | 'destination'
export type ConnectorType = Omit<AnyType, 'schema'> & { schema: ObjectSchema }
export type Scope = { key: string; name: string; documents: number | null }

export const kinds: readonly Kind[] = ['source', 'destination']

export function pathOf(kind: Kind): '/sources' | '/destinations' {
  return kind === 'source' ? '/sources' : '/destinations'
}

/** What creating a missing index sends. */
export type CreationPlan = {
  name: string
  exists: boolean | null
  allowed: boolean | null
  request: { method: string; path: string; body: Record<string, unknown> }
  command: string
}

export type Finding = Verdict['findings'][number]

/** An index that a swap replaced. */
export type ReplacedIndex = { name: string; elements: number; aliases: string[]; replaced_at: string }

export type ConnectorFormProps = {
  type: ConnectorType
  existing?: Connector
  /** The connector that a new one copies. */
  copy?: { name: string; config: Record<string, unknown> }
  workflowCount?: number
  disabled?: boolean
  /** What was typed before, without secrets. */
  draft?: ConnectorDraft
  /** Called instead of opening the page of the connector. */
  onSaved?: (connector: Connector) => void | Promise<void>
}

export type ConnectorDraft = { name: string; mode?: string | undefined; values: Values }
