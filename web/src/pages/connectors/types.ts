import type { z } from 'zod'
import type { checkShape, connectorShape, workflowShape } from '../../../../src/api/shapes.ts'
import type { ObjectSchema } from '../../schema-form/schema.ts'

export type Kind = 'source' | 'destination'
export type Connector = z.infer<typeof connectorShape>
export type Check = z.infer<typeof checkShape>
export type Workflow = z.infer<typeof workflowShape>
export type ConnectorType = { type: string; kind: Kind; title: string; schema: ObjectSchema }
export type Space = { key: string; name: string }

export const kinds: readonly Kind[] = ['source', 'destination']

export function pathOf(kind: Kind): '/sources' | '/destinations' {
  return kind === 'source' ? '/sources' : '/destinations'
}
