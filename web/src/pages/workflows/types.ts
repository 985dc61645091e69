import type { z } from 'zod'
import type { modelsShape } from '../../../../src/api/shapes/resources.ts'

/** Whose models there are, and which of them are configured. */
export type Providers = z.infer<typeof modelsShape>

export type NodeType = 'partition' | 'prompter' | 'chunk' | 'embed'

/** A step while it is being edited. The key is ours alone; a step that is new has no id yet. */
export type DraftNode = {
  key: string
  id?: string
  name: string
  type: NodeType
  subtype: string
  settings: Record<string, unknown>
}

/** A workflow while it is being edited; all views show and change the same one. */
export type Draft = {
  name: string
  sourceId: string | null
  destinationId: string | null
  /** As the API words it ("every hour"), or null for by hand. */
  schedule: string | null
  reprocessAll: boolean
  /** Whether everything that is worked again goes into a new index behind the alias. */
  swapIndex: boolean
  nodes: DraftNode[]
}
