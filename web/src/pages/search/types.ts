import type { z } from 'zod'
import type { connectorShape } from '../../../../src/api/shapes/resources.ts'

export type Destination = z.infer<typeof connectorShape>

/** Groups, where they are given, stand for what the wiki would say of the person. */
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

/** The whole of a search is in its address, so that it can be sent to a colleague. */
export type SearchAddress = {
  destination?: string | undefined
  query?: string | undefined
  user?: string | undefined
  groups?: string | undefined
  /** The second person's; the columns stand side by side while either is there, or `two`. */
  user2?: string | undefined
  groups2?: string | undefined
  two?: boolean | undefined
  space?: string | undefined
  labels?: string | undefined
  page?: number | undefined
  /** A record id or the address of a page to be explained. */
  explain?: string | undefined
}
