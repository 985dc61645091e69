import { z } from 'zod'
import { FACET_NAMES } from '../../connectors/search.ts'
import { principalsShape } from './principals.ts'

const passage = z.object({
  element_id: z.string(),
  score: z.number(),
  text: z.string(),
  highlights: z.array(z.string()),
})
const neighbour = z.object({ element_id: z.string(), text: z.string() })
const why = z.object({
  as_of: z.string(),
  levels: z.array(
    z.object({
      level: z.enum(['space', 'ancestor', 'page']),
      id: z.string(),
      title: z.string().nullable(),
      by: z.array(z.string()),
    }),
  ),
})

export const hitShape = z.object({
  record_id: z.string(),
  element_id: z.string(),
  score: z.number(),
  text: z.string(),
  highlight: z.string().nullable(),
  highlights: z.array(z.string()),
  title: z.string().nullable(),
  url: z.string().nullable(),
  version: z.string().nullable(),
  date_modified: z.string().nullable(),
  space_key: z.string().nullable(),
  filetype: z.string().nullable(),
  page_number: z.number().nullable(),
  /** Folder and name inside the archive that `title` names; null for other documents. */
  path_in_archive: z.string().nullable(),
  granted_by: z.array(z.string()),
  /** With `group_by`: the best elements of the document. */
  passages: z.array(passage).optional(),
  /** With `neighbours`: the elements around the hit, in reading order. */
  neighbours: z.object({ before: z.array(neighbour), after: z.array(neighbour) }).optional(),
  /** With `why`: null while no listing has read the permissions. */
  why: why.nullable().optional(),
})
export type SearchHit = z.infer<typeof hitShape>

const counts = z.array(z.object({ value: z.string(), count: z.number() }))

export const resultsShape = z.object({
  total: z.number(),
  /** `lte` if not all matches were checked: the total is an upper bound. */
  total_relation: z.enum(['eq', 'lte']),
  /** True if the page is not full although the index has more matches. */
  incomplete: z.boolean(),
  /** Documents among the checked matches that no workflow of the workspace wrote. */
  unknown_document: z.number(),
  /** Scopes whose permissions were not proved within the maximum age. */
  hidden: z.array(
    z.object({
      workflow_id: z.string(),
      scope: z.string(),
      reason: z.enum(['stale', 'never']),
      proved_at: z.string().nullable(),
    }),
  ),
  hits: z.array(hitShape),
  /** The cursor of the next page; null after the last one. */
  next: z.string().nullable(),
  /** Documents by value, on request. */
  facets: z.partialRecord(z.enum(FACET_NAMES), counts).optional(),
  /** `gte` if the counts cover only the best matches. */
  facets_relation: z.enum(['eq', 'gte']).optional(),
})
export type SearchResults = z.infer<typeof resultsShape>

export const documentShape = z.object({
  record_id: z.string(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  version: z.string().nullable(),
  date_modified: z.string().nullable(),
  space_key: z.string().nullable(),
  /** Null for an archive as a whole. */
  filetype: z.string().nullable(),
  /** The file of an archive that was asked for; null for the whole document. */
  path_in_archive: z.string().nullable(),
  /** In reading order. */
  elements: z.array(
    z.object({
      element_id: z.string(),
      type: z.string(),
      text: z.string(),
      page_number: z.number().nullable(),
      path_in_archive: z.string().nullable(),
    }),
  ),
  /** The cursor of the next elements; null after the last one. */
  next: z.string().nullable(),
})
export type ReadDocument = z.infer<typeof documentShape>

export const explanationShape = z.object({
  allowed: z.boolean(),
  operation: z.literal('read'),
  chain: z.array(
    z.object({
      level: z.enum(['space', 'ancestor', 'page']),
      id: z.string(),
      title: z.string(),
      rule: z.string(),
      satisfied: z.boolean(),
      by: z.string().nullable(),
      as_of: z.string(),
      /** Whether it is the first level that does not admit the person. */
      decides: z.boolean(),
      /** What the level names; without the right to see others, only the person's own. */
      principals: principalsShape,
    }),
  ),
})
export type Explanation = z.infer<typeof explanationShape>
