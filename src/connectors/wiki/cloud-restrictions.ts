import * as wire from './answers.ts'
import type { RestrictionsClient } from './client.ts'
import { PAGE } from './lists.ts'
import { RESTRICTION_LISTS, restrictionOf } from './restriction-of.ts'
import { told } from './restrictions.ts'
import { found, toLabels } from './search.ts'
import type { Transport } from './transport.ts'

/** The restrictions of pages and folders themselves; the wiki never tells inherited ones. */
export function cloudRestrictions(transport: Transport): RestrictionsClient {
  const lists = { ...transport, wire: wire.cloudRestrictions }

  return {
    marks: async (ids, signal) => {
      const expand = [...RESTRICTION_LISTS.map((list) => `restrictions.${list}`), 'metadata.labels'].join(',')
      const asked = { doing: 'reading restrictions', ids, query: { expand, limit: PAGE } }
      return (await found(transport, asked, signal)).map(({ id, restrictions, metadata }) => ({
        id,
        told: told(restrictions),
        labels: toLabels(metadata?.labels?.results ?? []),
      }))
    },
    restriction: (id, signal) => restrictionOf(lists, id, signal),
  }
}
