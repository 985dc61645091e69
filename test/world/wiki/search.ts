import { parseCql, type Query } from './cql.ts'
import { type Call, Refusal } from './http.ts'
import type { Node, SiteName } from './model.ts'
import { byNumber } from './paging.ts'
import { sees } from './truth.ts'

/** What a CQL search finds for the caller: current content only, and only what the index has seen. */
export function searchContent(call: Call, site: SiteName): { found: Node[]; query: Query } {
  const { world, account } = call
  const cql = call.query.get('cql')
  if (cql === null || cql.trim() === '') throw new Refusal(400, 'cql is required')
  const query = parseCql(cql, { world, timeZoneMinutes: account.timeZoneMinutes })
  const withArchived = call.query.get('includeArchivedSpaces') === 'true'
  const known = world.settings.searchKnows ?? Number.POSITIVE_INFINITY
  const found: Node[] = []
  for (const node of world.nodes.values()) {
    if (node.status !== 'current' || node.changed > known) continue
    if (site === 'dataCenter' && node.kind === 'folder') continue
    if (!withArchived && world.spaces.get(node.spaceId)?.status === 'archived') continue
    if (query.matches(node) && sees(world, account, node, site)) found.push(node)
  }
  found.sort(query.compare ?? byNumber)
  return { found, query }
}
