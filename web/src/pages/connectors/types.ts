import type {
  Connector as AnyConnector,
  ConnectorType as AnyType,
  Destination,
  Verdict,
} from '../../../../packages/millrace-client/src/schema.ts'
import type { ObjectSchema, Values } from '../../schema-form/schema.ts'
import type { ResponseOf } from '../../service/types.ts'

export type {
  ConnectionCheck as Check,
  Repair as RepairResponse,
  /** The ledger compared with the destination. */
  Verdict as Verification,
  /** A comparison or repair that takes longer. */
  Verification as VerificationJob,
} from '../../../../packages/millrace-client/src/schema.ts'

/** Only destinations can be a sandbox; only a changed source has warnings. */
export type Connector = AnyConnector &
  Partial<Pick<Destination, 'sandbox'>> &
  Partial<Pick<ResponseOf<'PUT /api/v1/sources/{id}'>, 'warnings'>>

export type Kind = 'source' | 'destination'
export type ConnectorType = Omit<AnyType, 'schema'> & { schema: ObjectSchema }
export type ScopeOptions = ResponseOf<'POST /api/v1/sources/options'>
export type Scope = ScopeOptions['spaces'][number]

export const kinds: readonly Kind[] = ['source', 'destination']

export function pathOf(kind: Kind): '/sources' | '/destinations' {
  return kind === 'source' ? '/sources' : '/destinations'
}

/** What creating a missing index sends. */
export type CreationPlan = ResponseOf<'GET /api/v1/destinations/{id}/create-index'>

export type Finding = Verdict['findings'][number]

/** An index that a swap replaced. */
export type ReplacedIndex = ResponseOf<'GET /api/v1/destinations/{id}/generations'>[number]

export type ConnectorFormProps = {
  type: ConnectorType
  existing?: Connector
  /** The connector that a new one copies. */
  copy?: { name: string; config: Record<string, unknown> }
  workflowCount?: number
  disabled?: boolean
  /** What was typed before, without secrets. */
  draft?: ConnectorDraft
  /** Called instead of saving. */
  send?: (body: ConnectorBody) => Promise<void>
}

export type ConnectorBody = { name: string; type: string; config: Record<string, unknown> }

/** What came of testing settings that are not stored. */
export type Connected = Omit<ResponseOf<'POST /api/v1/destinations/connect'>, 'connector'> & {
  connector: Connector | null
}

export type ConnectorDraft = { name: string; mode?: string | undefined; values: Values }
