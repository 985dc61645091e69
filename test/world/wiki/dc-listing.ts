import { canSeeContent, canSeeSpace } from './access/truth.ts'
import { dcLink, dcLinks } from './dc-page.ts'
import { dcItem } from './dc-restrictions.ts'
import { atLeast } from './dc-version.ts'
import { type ApiCall, ok, WikiError, type WikiResponse } from './http.ts'
import { type Content, contentById, isCloudOnly, pageOf, type Space } from './model/model.ts'
import { byNumber, cappedLimit, cursorPage } from './paging.ts'
import { parseExpand } from './v1/expand.ts'

/** `GET /content`: pages or blog posts of a status, or content of every type by id. */
export function listed(call: ApiCall): Content[] {
  const { world, query } = call
  const ids = query.getAll('ids')
  if (ids.length > 0)
    return matching(
      call,
      [...new Set(ids)].flatMap((id) => contentById(world, id) ?? []),
    )
  const type = query.get('type') ?? 'page'
  if (type !== 'page' && type !== 'blogpost') throw new WikiError(400, `Invalid type: ${type}`)
  const found = matching(call, ofType(call, type))
  return world.settings.dcOrder === 'id' ? found : found.toSorted((a, b) => (a.title < b.title ? -1 : 1))
}

/** By cursor since 7.18, comments since 8.3; the fastest full listing. */
export function scan(call: ApiCall): WikiResponse {
  const { query } = call
  const type = query.get('type') ?? 'page'
  if (!scannable(call).includes(type)) throw new WikiError(400, `Invalid type: ${type}`)
  const expand = parseExpand(query.get('expand'))
  const limit = cappedLimit(call, 25, expand.has('body') ? 200 : 1000)
  const order = { name: 'id', compare: () => 0, id: ({ id }: Content) => id }
  const page = cursorPage(call, matching(call, ofType(call, type)).sort(byNumber), { limit, order })
  const next = page.next === undefined ? {} : { next: dcLink(call, page.next) }
  return ok({
    results: page.items.map((content) => dcItem(call, content, expand)),
    cursor: query.get('cursor'),
    nextCursor: page.next?.get('cursor') ?? null,
    limit,
    size: page.items.length,
    _links: { ...dcLinks(call), ...next },
  })
}

const scannable = ({ world }: ApiCall): string[] =>
  atLeast(world, '8.3') ? ['page', 'blogpost', 'comment'] : ['page', 'blogpost']

const ofType = ({ world }: ApiCall, type: string): Content[] =>
  type === 'comment'
    ? [...world.comments.values()]
    : [...world.nodes.values()].filter(({ kind }) => kind === type)

function matching(call: ApiCall, candidates: Content[]): Content[] {
  const { world, account, query } = call
  const [spaceKey, title] = [query.get('spaceKey'), query.get('title')]
  const spaceId = spaceKey === null ? undefined : visibleSpace(call, spaceKey).id
  const statuses = statusesOf(query)
  return candidates.filter((content) => {
    const page = pageOf(world, content)
    return (
      page !== undefined &&
      !isCloudOnly(page.kind) &&
      // A comment on a trashed page is trashed too.
      statuses.has(content.status === 'current' ? page.status : content.status) &&
      (spaceId === undefined || page.spaceId === spaceId) &&
      (title === null || content.title === title) &&
      canSeeContent(world, account, content, 'dataCenter')
    )
  })
}

/** Repeated, not separated by commas; `any` are current and trashed ones. */
function statusesOf(query: URLSearchParams): Set<string> {
  const requested = query.getAll('status')
  if (requested.length === 0) return new Set(['current'])
  return new Set(requested.flatMap((status) => (status === 'any' ? ['current', 'trashed'] : [status])))
}

export function visibleSpace(call: ApiCall, key: string): Space {
  const found = [...call.world.spaces.values()].find((each) => each.key === key)
  if (found !== undefined && canSeeSpace(call.world, call.account, found, 'dataCenter')) return found
  throw new WikiError(404, `No space with key : ${key}`)
}
