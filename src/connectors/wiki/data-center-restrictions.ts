import type { Marks, RestrictionsClient } from './client.ts'
import * as wire from './data-center-answers.ts'
import { searched } from './data-center-search.ts'
import { RESTRICTION_LISTS, restrictionOf } from './restriction-of.ts'
import { told } from './restrictions.ts'
import { toLabels } from './search.ts'
import type { Transport } from './transport.ts'

/** What is asked for with a page, wherever pages come many at a time; without a body 200 is the most. */
export const MARKS = [...RESTRICTION_LISTS.map((list) => `restrictions.${list}`), 'metadata.labels'].join(',')

/** The restrictions of pages themselves; the wiki never tells inherited ones. */
export function dataCenterRestrictions(transport: Transport): RestrictionsClient {
  const lists = { ...transport, wire: wire.restrictions }
  return {
    marks: async (ids, signal) => {
      const asked = { doing: 'reading restrictions', ids, expand: MARKS, limit: 200 }
      return (await searched(transport, asked, signal)).map(toMarks)
    },
    restriction: (id, signal) => restrictionOf(lists, id, signal),
  }
}

export function toMarks({ id, restrictions, metadata }: wire.ContentAnswer): Marks {
  return { id, told: told(restrictions), labels: toLabels(metadata?.labels?.results ?? []) }
}
