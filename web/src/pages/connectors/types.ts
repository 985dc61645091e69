import type { z } from 'zod'
import type { connectorTypeShape } from '../../../../src/api/shapes/connector-type.ts'
import type { checkShape, connectorShape } from '../../../../src/api/shapes/resources.ts'
import type { ObjectSchema } from '../../schema-form/schema.ts'

export type Kind = 'source' | 'destination'
export type Connector = z.infer<typeof connectorShape>
export type Check = z.infer<typeof checkShape>
export type ConnectorType = Omit<z.infer<typeof connectorTypeShape>, 'schema'> & { schema: ObjectSchema }
export type Scope = { key: string; name: string }

export const kinds: readonly Kind[] = ['source', 'destination']

export function pathOf(kind: Kind): '/sources' | '/destinations' {
  return kind === 'source' ? '/sources' : '/destinations'
}

export type Finding = {
  kind: 'missing' | 'different' | 'extra'
  record_id: string
  elements: number
  reason: string
}

type Compared = {
  ok: boolean
  spaces: {
    space_key: string
    documents: number
    elements: number
    missing: number
    different: number
    extra: number
  }[]
  foreign_elements: number
}

/** The ledger compared with the destination. */
export type Verdict = Compared & { findings: Finding[]; more_findings: number }

export type Repaired = Compared & { removed_elements: number; jobs: { id: string; workflow_id: string }[] }

/** An index that a swap replaced. */
export type Generation = { name: string; elements: number; aliases: string[]; replaced_at: string }

export type ConnectorFormProps = {
  type: ConnectorType
  existing?: Connector
  /** The connector that a new one copies. */
  copy?: { name: string; config: Record<string, unknown> }
  users?: number
  disabled?: boolean
}
