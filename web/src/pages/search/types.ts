import type { z } from 'zod'
import type { connectorShape } from '../../../../src/api/shapes/resources.ts'

export type Destination = z.infer<typeof connectorShape>

/** Given groups replace those the source reports. */
export type Person = { user?: string; groups?: string[] }

export type Hit = {
  record_id: string
  element_id: string
  score: number
  text: string
  highlight: string | null
  title: string | null
  url: string | null
  granted_by: string[]
}
export type Found = { total: number; hits: Hit[] }

export type Level = {
  level: 'space' | 'ancestor' | 'page'
  id: string
  title: string
  rule: string
  satisfied: boolean
  by: string | null
  as_of: string
}
export type Explanation = { allowed: boolean; operation: string; chain: Level[] }

/** The address holds the whole search, so that it can be shared. */
export type SearchAddress = {
  destination?: string | undefined
  query?: string | undefined
  user?: string | undefined
  groups?: string | undefined
  /** The second person, used with `two`. */
  user2?: string | undefined
  groups2?: string | undefined
  two?: boolean | undefined
  space?: string | undefined
  labels?: string | undefined
  page?: number | undefined
  /** A record id or a document's address to explain. */
  explain?: string | undefined
}
