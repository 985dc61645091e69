import { dcPage } from './dc-page.ts'
import { type ApiCall, WikiError, type WikiResponse } from './http.ts'
import { attachmentsOf } from './model/attachments.ts'
import { pageComments, repliesOf, repliesUnder } from './model/comments.ts'
import type { Comment, Content, ContentNode } from './model/model.ts'
import { contentItem } from './v1/content.ts'
import { parseExpand } from './v1/expand.ts'

/** Children of a page of Data Center, by offset. */
export function attachmentChildren(call: ApiCall, page: ContentNode): WikiResponse {
  const { world, query } = call
  const [filename, mediaType] = [query.get('filename'), query.get('mediaType')]
  const found = attachmentsOf(world, page.id).filter(
    (each) =>
      (filename === null || each.title === filename) && (mediaType === null || each.mediaType === mediaType),
  )
  const expand = parseExpand(query.get('expand'))
  return dcPage(call, found, {
    cap: 200,
    toItem: (each) => contentItem({ call, site: 'dataCenter' }, each, expand),
  })
}

/** Roots only unless `depth=all`; `location` may repeat, `resolved` includes inline ones. */
export function commentChildren(call: ApiCall, of: Content): WikiResponse {
  const { world, query } = call
  const [depth, locations] = [query.get('depth') ?? '', query.getAll('location')]
  if (depth !== '' && depth !== 'root' && depth !== 'all') throw new WikiError(400, `Invalid depth: ${depth}`)
  const deep = depth === 'all'
  const below =
    of.kind === 'comment'
      ? (deep ? repliesUnder : repliesOf)(world, of)
      : pageComments(world, of.id).filter(({ parentId }) => deep || parentId === null)
  const found = below.filter((each) => locations.length === 0 || locations.includes(locationOf(each)))
  const expand = parseExpand(query.get('expand'))
  return dcPage(call, found, {
    cap: expand.has('body') ? 50 : 200,
    toItem: (each) => contentItem({ call, site: 'dataCenter' }, each, expand),
  })
}

const locationOf = ({ location, resolution }: Comment): string =>
  location === 'inline' && resolution === 'resolved' ? 'resolved' : location
