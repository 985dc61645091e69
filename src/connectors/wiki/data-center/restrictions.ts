import { EXPAND_BOTH, RESTRICTION_LISTS, readRestrictions } from '../access/read-restrictions.ts'
import { parseRestrictions } from '../access/restrictions.ts'
import type { PageIncludes, PageMetadata, RestrictionsClient } from '../client.ts'
import { FILE_FIELDS, parseFiles } from '../content/file-list.ts'
import { parseLabels } from '../listing/labels.ts'
import type { WikiTransport } from '../transport/transport.ts'
import type { ContentByIds } from './content-by-ids.ts'
import * as wire from './responses.ts'

/** Fields to expand for pages in lists; without bodies 200 is the maximum. */
export function metadataFields({ files }: PageIncludes): string {
  const parts = [...RESTRICTION_LISTS.map((list) => `restrictions.${list}`), 'metadata.labels']
  return [...parts, ...(files ? [FILE_FIELDS] : [])].join(',')
}

/** The own restrictions of pages; the wiki never lists inherited ones. */
export function dataCenterRestrictions(
  transport: WikiTransport,
  { byIds, includes }: { byIds: ContentByIds; includes: PageIncludes },
): RestrictionsClient {
  const lists = { ...transport, wire: wire.restrictions, expandBoth: EXPAND_BOTH.dataCenter }
  return {
    metadata: async (ids, signal) => {
      const input = { doing: 'reading restrictions', ids, expand: metadataFields(includes), limit: 200 }
      return (await byIds.found(input, signal)).map(toMetadata)
    },
    restriction: (id, signal) => readRestrictions(lists, id, signal),
  }
}

export function toMetadata({ id, restrictions, metadata, children }: wire.ContentResponse): PageMetadata {
  const labels = parseLabels(metadata?.labels)
  return { id, restrictions: parseRestrictions(restrictions), labels, files: parseFiles(children) }
}
