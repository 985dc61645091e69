import { RESTRICTION_LISTS, readRestrictions } from '../access/read-restrictions.ts'
import { parseRestrictions } from '../access/restrictions.ts'
import type { RestrictionsClient, Wants } from '../client.ts'
import { FILES, parseFiles } from '../content/file-list.ts'
import { parseLabels } from '../listing/labels.ts'
import * as wire from '../responses.ts'
import { PAGE } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { searchByIds } from './search.ts'

/** The own restrictions of pages and folders; the wiki never lists inherited ones. */
export function cloudRestrictionsClient(transport: WikiTransport, wants: Wants): RestrictionsClient {
  const lists = { ...transport, wire: wire.cloudRestrictions }
  const parts = [...RESTRICTION_LISTS.map((list) => `restrictions.${list}`), 'metadata.labels']
  const expand = [...parts, ...(wants.files ? [FILES] : [])].join(',')

  return {
    metadata: async (ids, signal) => {
      const asked = { doing: 'reading restrictions', ids, query: { expand, limit: PAGE } }
      return (await searchByIds(transport, asked, signal)).map(
        ({ id, restrictions, metadata, children }) => ({
          id,
          restrictions: parseRestrictions(restrictions),
          labels: parseLabels(metadata?.labels),
          files: parseFiles(children),
        }),
      )
    },
    restriction: (id, signal) => readRestrictions(lists, id, signal),
  }
}
