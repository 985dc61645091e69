import { z } from 'zod'
import { personQueryShape } from '../search-person.ts'
import { namedId, principalsShape } from './principals.ts'
import { resultsShape } from './search.ts'
import { searchShape } from './search-request.ts'

const ids = z
  .array(z.string().min(1).max(1000, 'at most 1000 characters'))
  .max(200, 'at most 200 ids')
  .default([])
export const namesBody = z.strictObject({ users: ids, groups: ids })
/** In the order of the request; null if the name is not known. */
export const namesShape = z.object({ users: z.array(namedId), groups: z.array(namedId) })

export const levelKind = z.enum(['space', 'ancestor', 'page'])

export const compareBody = searchShape
  .pick({ query: true, search_after: true, filters: true, facets: true })
  .extend({
    /** Without it, the caller alone. */
    people: z.array(personQueryShape).min(1).max(3, 'at most 3 people').optional(),
    /** Documents per page. */
    size: z.number().int().min(1).max(50).default(20),
    /** Only documents that some of the people find and some do not. */
    only_differences: z.boolean().default(false),
  })
export type CompareOptions = Omit<z.input<typeof compareBody>, 'people'>

/** Viewers and up: the query names the index or table. */
export const nativeQueryShape = z.object({
  /** The query language, as a lower-case word of the connector. */
  dialect: z.string(),
  /** The dialect as people write it. */
  title: z.string(),
  /** Null for a dialect of SQL. */
  request: z
    .object({ method: z.string(), path: z.string(), body: z.record(z.string(), z.unknown()) })
    .nullable(),
  sql: z.string().nullable(),
})

const throughLevel = z.object({
  level: levelKind,
  /** Null if the ledger does not name the level. */
  id: z.string().nullable(),
  title: z.string().nullable(),
})

export const readersShape = z.object({
  record_id: z.string(),
  title: z.string(),
  /** When the permissions were read last. */
  as_of: z.string(),
  /** All restricted levels; a reader has to pass every one. */
  levels: z.array(throughLevel.extend({ principals: principalsShape })),
  /** A class that passes every level, such as `class:all-licensed-users`. */
  everyone: z.string().nullable(),
  /** Groups whose active members all pass. */
  groups: z.array(namedId.extend({ through: z.array(throughLevel) })),
  /** Up to 500, each with what lets them through every level. */
  people: z.array(
    namedId.extend({
      through: z.array(throughLevel.extend({ by: z.string(), by_name: z.string().nullable() })),
    }),
  ),
  /** How many people are proved to read it, apart from the members of `everyone`. */
  total_people: z.number(),
  /** False if people are missing from the list; `reason` says why. */
  complete: z.boolean(),
  reason: z.string().nullable(),
})
export type DocumentReaders = z.infer<typeof readersShape>

const personStatus = z.object({
  /**
   * `found`: search as this person has it. `stopped`: a level does not admit them. `hidden`: search does not show it,
   * because its permissions are too old or not written to the index yet.
   */
  status: z.enum(['found', 'stopped', 'hidden']),
  /** The first level, from the space down, that does not admit the person; null if it cannot be named. */
  stopped_by: z
    .object({
      level: levelKind,
      id: z.string(),
      title: z.string().nullable(),
      rule: z.string(),
      principals: principalsShape,
      /** When these permissions were read last. */
      as_of: z.string(),
    })
    .nullable(),
})

const comparedDocument = z.object({
  record_id: z.string(),
  element_id: z.string(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  space_key: z.string().nullable(),
  filetype: z.string().nullable(),
  path_in_archive: z.string().nullable(),
  version: z.string().nullable(),
  date_modified: z.string().nullable(),
  text: z.string(),
  highlights: z.array(z.string()),
  passages: z.array(
    z.object({
      element_id: z.string(),
      score: z.number(),
      text: z.string(),
      highlights: z.array(z.string()),
    }),
  ),
  /** In the order of the request. */
  people: z.array(personStatus),
})
export type LabDocument = z.infer<typeof comparedDocument>

export const comparisonShape = resultsShape
  .pick({
    total: true,
    total_relation: true,
    incomplete: true,
    hidden: true,
    facets: true,
    facets_relation: true,
    next: true,
  })
  .extend({
    people: z.array(
      z.object({
        name: z.string().nullable(),
        user: z.string().nullable(),
        /** False for a deactivated or closed account, which can read nothing. */
        active: z.boolean(),
        /** The documents that search finds as this person. */
        found: z.number(),
        /** `lte` if not all matches were checked: the number is an upper bound. */
        found_relation: z.enum(['eq', 'lte']),
        /** The documents that no other of the people finds. */
        only: z.number(),
      }),
    ),
    /** The documents that some of the people find and some do not. */
    differ: z.number(),
    /** The documents that all of the people find. */
    everyone: z.number(),
    /** Of `only`, `everyone` and `differ`: `gte` if not all matches were checked, so there may be more. */
    differ_relation: z.enum(['eq', 'gte']),
    /** Names of the spaces in this response by key, as far as they are known. */
    space_names: z.record(z.string(), z.string()),
    /** Everything that at least one of the people finds: differences first, then best first. */
    documents: z.array(comparedDocument),
  })
export type LabComparison = z.infer<typeof comparisonShape>
