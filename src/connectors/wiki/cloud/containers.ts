import { RESTRICTION_LISTS } from '../access/read-restrictions.ts'
import { parseRestrictions } from '../access/restrictions.ts'
import type { ContainerInfo, ContainersClient } from '../client.ts'
import * as wire from '../responses.ts'
import { listReaders, PAGE_SIZE } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'

const EXPAND = ['ancestors', ...RESTRICTION_LISTS.map((list) => `restrictions.${list}`)].join(',')

/** Folders, whiteboards and databases by search: one request for hundreds, with all that is above them. */
export function cloudContainers(transport: WikiTransport): ContainersClient {
  const { pages } = listReaders(transport)
  return {
    containers: async function* (ids, signal) {
      const cql = ids ? `id in (${ids.join(',')})` : 'type in (folder,whiteboard,database)'
      const request = { doing: 'reading folders', path: '/rest/api/content/search' }
      const query = { cql, expand: EXPAND, limit: PAGE_SIZE }
      for await (const rows of pages({ ...request, query }, wire.containerResponse, signal))
        yield rows.flatMap(toContainer)
    },
  }
}

/** Without its ancestors a container is of no use. */
function toContainer({ id, type, title, ancestors, restrictions }: wire.ContainerResponse): ContainerInfo[] {
  if (!type || !ancestors) return []
  const above = ancestors.map((each) => ({ id: each.id, type: each.type ?? 'page', title: each.title ?? '' }))
  return [{ id, type, title: title ?? '', ancestors: above, restrictions: parseRestrictions(restrictions) }]
}
