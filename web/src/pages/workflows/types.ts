import type { Model } from '../../../../packages/millrace-client/src/schema.ts'

/** Views of one workflow, named in the address. A new workflow has no overview. */
export const views = ['overview', 'steps', 'yaml', 'preview'] as const
export type View = (typeof views)[number]

/** Model providers and whether each is configured. */
export type Providers = Model[]

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
  /** In the API's words ("every hour") or as cron; null for manual runs. */
  schedule: string | null
  scheduleTimezone: string
  reprocessAll: boolean
  /** Whether a full run fills a new index and moves the alias to it. */
  swapIndex: boolean
  /** `every N minutes` or `off`. */
  permissionsSchedule: string
  /** Null for no limit. */
  maxPermissionAgeHours: number | null
  /** Null for never. */
  hideInIndexAfterHours: number | null
  nodes: DraftNode[]
}
