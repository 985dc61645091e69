import { RESTRICTION_LISTS, restrictionOf } from '../access/read-restrictions.ts'
import { told } from '../access/restrictions.ts'
import * as wire from '../answers.ts'
import type { RestrictionsClient, Wants } from '../client.ts'
import { FILES, filesTold } from '../content/file-list.ts'
import { labelsTold } from '../listing/labels.ts'
import { PAGE } from '../transport/lists.ts'
import type { Transport } from '../transport/transport.ts'
import { found } from './search.ts'

/** The restrictions of pages and folders themselves; the wiki never tells inherited ones. */
export function cloudRestrictions(transport: Transport, wants: Wants): RestrictionsClient {
  const lists = { ...transport, wire: wire.cloudRestrictions }
  const parts = [...RESTRICTION_LISTS.map((list) => `restrictions.${list}`), 'metadata.labels']
  const expand = [...parts, ...(wants.files ? [FILES] : [])].join(',')

  return {
    marks: async (ids, signal) => {
      const asked = { doing: 'reading restrictions', ids, query: { expand, limit: PAGE } }
      return (await found(transport, asked, signal)).map(({ id, restrictions, metadata, children }) => ({
        id,
        told: told(restrictions),
        labels: labelsTold(metadata?.labels),
        files: filesTold(children),
      }))
    },
    restriction: (id, signal) => restrictionOf(lists, id, signal),
  }
}
