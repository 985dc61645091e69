import { RESTRICTION_LISTS, restrictionOf } from '../access/read-restrictions.ts'
import { told } from '../access/restrictions.ts'
import type { Marks, RestrictionsClient, Wants } from '../client.ts'
import { FILES, filesTold } from '../content/file-list.ts'
import { labelsTold } from '../listing/labels.ts'
import type { Transport } from '../transport/transport.ts'
import * as wire from './answers.ts'
import { searched } from './search.ts'

/** What is asked for with a page, wherever pages come many at a time; without a body 200 is the most. */
export function marksFor({ files }: Wants): string {
  const parts = [...RESTRICTION_LISTS.map((list) => `restrictions.${list}`), 'metadata.labels']
  return [...parts, ...(files ? [FILES] : [])].join(',')
}

/** The restrictions of pages themselves; the wiki never tells inherited ones. */
export function dataCenterRestrictions(transport: Transport, wants: Wants): RestrictionsClient {
  const lists = { ...transport, wire: wire.restrictions }
  return {
    marks: async (ids, signal) => {
      const asked = { doing: 'reading restrictions', ids, expand: marksFor(wants), limit: 200 }
      return (await searched(transport, asked, signal)).map(toMarks)
    },
    restriction: (id, signal) => restrictionOf(lists, id, signal),
  }
}

export function toMarks({ id, restrictions, metadata, children }: wire.ContentAnswer): Marks {
  const labels = labelsTold(metadata?.labels)
  return { id, told: told(restrictions), labels, files: filesTold(children) }
}
