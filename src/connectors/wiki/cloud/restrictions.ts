import { EXPAND_BOTH, RESTRICTION_LISTS, readRestrictions } from '../access/read-restrictions.ts'
import { parseRestrictions } from '../access/restrictions.ts'
import type { PageIncludes, RestrictionsClient } from '../client.ts'
import { FILE_FIELDS, parseFiles } from '../content/file-list.ts'
import { parseLabels } from '../listing/labels.ts'
import * as wire from '../responses.ts'
import { PAGE_SIZE } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { searchByIds } from './search.ts'

/** The own restrictions of pages and folders; the wiki never lists inherited ones. */
export function cloudRestrictionsClient(
  transport: WikiTransport,
  includes: PageIncludes,
): RestrictionsClient {
  const lists = { ...transport, wire: wire.cloudRestrictions, expandBoth: EXPAND_BOTH.cloud }
  const parts = [...RESTRICTION_LISTS.map((list) => `restrictions.${list}`), 'metadata.labels']
  const expand = [...parts, ...(includes.files ? [FILE_FIELDS] : [])].join(',')

  return {
    metadata: async (ids, signal) => {
      const input = { doing: 'reading restrictions', ids, query: { expand, limit: PAGE_SIZE } }
      return (await searchByIds(transport, input, signal)).map(
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
