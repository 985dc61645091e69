import { z } from 'zod'
import { FACET_NAMES } from '../../connectors/search.ts'
import { personQueryShape } from '../search-person.ts'

const term = z.string().min(1, 'must not be empty').max(1000, 'at most 1000 characters')
/** An empty text counts as absent. */
const terms = z.union(
  [term.or(z.literal('')), z.array(term).max(100, 'at most 100 values')],
  'a text, or a list of at most 100, each of at most 1000 characters',
)
const date = z.union([z.iso.date(), z.iso.datetime({ offset: true })], 'an ISO date, such as 2026-03-31')
const dates = z.strictObject({ gte: date.optional(), lte: date.optional() })

export const filtersShape = z.strictObject({
  space_key: terms.optional(),
  labels: terms.optional(),
  /** Ids or record ids of pages: everything below them. */
  ancestors: terms.optional(),
  author: terms.optional(),
  filetype: terms.optional(),
  record_id: terms.optional(),
  /** Of files in archives. */
  path_in_archive: terms.optional(),
  created: dates.optional(),
  modified: dates.optional(),
})

/** A search without its person. */
export const searchShape = z.strictObject({
  query: z.string().trim().min(1, 'a query is needed').max(1000),
  size: z.number().int().min(1).max(100).default(10),
  from: z.number().int().min(0).max(1000).default(0),
  /** `next` of the page before. */
  search_after: z.string().min(1).max(20_000).optional(),
  filters: filtersShape.optional(),
  facets: z.array(z.enum(FACET_NAMES)).max(FACET_NAMES.length).optional(),
  /** One hit per document, with up to three passages. */
  group_by: z.enum(['document']).optional(),
  /** How many elements before and after each hit to return. */
  neighbours: z.number().int().min(0).max(3).default(0),
  /** Whether each hit says which levels admit the person. */
  why: z.boolean().default(false),
})
export type SearchOptions = z.input<typeof searchShape>

export const searchBody = searchShape.extend({ as: personQueryShape.optional() })
