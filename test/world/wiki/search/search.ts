import { canSeeContent } from '../access/truth.ts'
import { type ApiCall, WikiError } from '../http.ts'
import { attachmentById, attachmentStatus, attachmentsOf } from '../model/attachments.ts'
import { pageComments } from '../model/comments.ts'
import { type Content, contentById, isCloudOnly, pageOf, type SiteName, type World } from '../model/model.ts'
import { byNumber } from '../paging.ts'
import { searchedStatuses } from './context.ts'
import { type CqlQuery, type Narrowing, parseCql } from './cql.ts'

/** CQL results for the caller: current content that the index has seen. */
export function searchContent(call: ApiCall, site: SiteName): { found: Content[]; query: CqlQuery } {
  const { world, account } = call
  const cql = call.query.get('cql')
  if (cql === null || cql.trim() === '') throw new WikiError(400, 'cql is required')
  const { accountId, timeZoneMinutes } = account
  const query = parseCql(cql, { world, site, accountId, timeZoneMinutes })
  const statuses = searchedStatuses(call, site === 'cloud' ? 'cloud' : 'dataCenter')
  const withArchived = call.query.get('includeArchivedSpaces') === 'true'
  const withCurrent = call.query.get('excludeCurrentSpaces') !== 'true'
  const known = world.settings.searchKnows ?? Number.POSITIVE_INFINITY
  const found: Content[] = []
  for (const content of candidates(world, query.only)) {
    if (content.changed > known || !statuses.has(statusOf(world, content))) continue
    if (site === 'dataCenter' && isCloudOnly(content.kind)) continue
    const space = world.spaces.get(pageOf(world, content)?.spaceId ?? '')
    if (space?.status === 'archived' ? !withArchived : !withCurrent) continue
    if (query.matches(content) && canSeeContent(world, account, content, site)) found.push(content)
  }
  found.sort(query.compare ?? byNumber)
  return { found, query }
}

/** Attachments and comments follow their page into the archive and the trash. */
function statusOf(world: World, content: Content): string {
  if (content.kind === 'attachment') return attachmentStatus(world, content)
  return pageOf(world, content)?.status ?? content.status
}

/** As few candidates as the query allows: by id, by page or by type. */
function candidates(world: World, { id, container, type }: Narrowing): Iterable<Content> {
  if (id !== undefined)
    return new Set(id.flatMap((each) => contentById(world, each) ?? attachmentById(world, each) ?? []))
  if (container !== undefined)
    return [...new Set(container)].flatMap((each) => [
      ...attachmentsOf(world, each),
      ...pageComments(world, each),
    ])
  const kinds = type?.map((each) => each.toLowerCase())
  return allOf(world, (kind) => kinds === undefined || kinds.includes(kind))
}

const nodeKinds = ['page', 'blogpost', 'folder', 'whiteboard', 'database']

function* allOf(world: World, wanted: (kind: string) => boolean): Generator<Content> {
  if (nodeKinds.some(wanted)) yield* world.nodes.values()
  if (wanted('attachment')) yield* world.attachments.values()
  if (wanted('comment')) yield* world.comments.values()
}
