import { type Lists, RESTRICTION_LISTS, readRestrictions } from './access/read-restrictions.ts'
import { parseRestrictions } from './access/restrictions.ts'
import type { PageIncludes, PageMetadata, RestrictionsClient } from './client.ts'
import { FILE_FIELDS, parseFiles } from './content/file-list.ts'
import { parseLabels } from './listing/labels.ts'
import type { FoundResponse } from './responses.ts'

/** Fields to expand for pages in lists. */
export function metadataFields({ files }: PageIncludes): string {
  const parts = [...RESTRICTION_LISTS.map((list) => `restrictions.${list}`), 'metadata.labels']
  return [...parts, ...(files ? [FILE_FIELDS] : [])].join(',')
}

/** The own restrictions of pages and folders, which the wiki lists without the inherited ones. */
export function restrictionsClient(
  lists: Lists,
  find: (ids: string[], signal: AbortSignal) => Promise<FoundResponse[]>,
): RestrictionsClient {
  return {
    metadata: async (ids, signal) => (await find(ids, signal)).map(toMetadata),
    restriction: (id, signal) => readRestrictions(lists, id, signal),
  }
}

export function toMetadata({ id, restrictions, metadata, children }: FoundResponse): PageMetadata {
  const labels = parseLabels(metadata?.labels)
  return { id, restrictions: parseRestrictions(restrictions), labels, files: parseFiles(children) }
}
