import type { z } from 'zod'
import type { modelsShape } from '../../../../src/api/shapes/resources.ts'

/** Model providers and whether each is configured. */
export type Providers = z.infer<typeof modelsShape>

export type NodeType = 'partition' | 'prompter' | 'chunk' | 'embed'

/** A node being edited. `key` is local; a new node has no id. */
export type DraftNode = {
  key: string
  id?: string
  name: string
  type: NodeType
  subtype: string
  settings: Record<string, unknown>
}

/** A workflow being edited, shared by all views. */
export type Draft = {
  name: string
  sourceId: string | null
  destinationId: string | null
  /** In the API's words ("every hour"); null for manual runs. */
  schedule: string | null
  reprocessAll: boolean
  /** Whether a full run fills a new index behind the alias. */
  swapIndex: boolean
  nodes: DraftNode[]
}
