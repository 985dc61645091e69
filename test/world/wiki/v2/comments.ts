import { canSeeContent } from '../access/truth.ts'
import { type ApiCall, ok, type Route, route, WikiError, type WikiResponse } from '../http.ts'
import { pageComments, repliesOf } from '../model/comments.ts'
import type { Comment } from '../model/model.ts'
import { byNumber, cursorPage, type Order, v2Limit } from '../paging.ts'
import { bodyOf, versionItem } from './nodes.ts'
import { v2Page } from './page.ts'
import { listFormat, singleFormat, v2NotFound, visibleNode } from './parameters.ts'

type Location = Comment['location']

/** For a page: roots only. For a comment: direct replies. Otherwise all comments. */
export const cloudV2CommentRoutes: Route[] = (['footer', 'inline'] as const).flatMap((location) => [
  ...(['page', 'blogpost'] as const).map((kind) =>
    route(`GET /${kind}s/{id}/${location}-comments`, 'read:comment', (call) => {
      const page = visibleNode(call, kind, ['current', 'archived'])
      return commentList(
        call,
        pageComments(call.world, page.id).filter((each) => each.parentId === null),
        location,
      )
    }),
  ),
  route(`GET /${location}-comments`, 'read:comment', (call) =>
    commentList(call, [...call.world.comments.values()], location),
  ),
  route(`GET /${location}-comments/{id}`, 'read:comment', (call) => {
    const comment = visibleComment(call, location)
    return ok(commentItem(call, comment, singleFormat(call)))
  }),
  route(`GET /${location}-comments/{id}/children`, 'read:comment', (call) =>
    commentList(call, repliesOf(call.world, visibleComment(call, location)), location),
  ),
])

function commentList(call: ApiCall, all: Comment[], location: Location): WikiResponse {
  const format = listFormat(call)
  const wanted = resolutionsOf(call, location)
  const order = orderOf(call)
  const found = all.filter(
    (each) =>
      each.location === location &&
      (wanted === undefined || wanted.has(each.resolution)) &&
      canSeeContent(call.world, call.account, each),
  )
  found.sort(order.compare)
  return v2Page(call, cursorPage(call, found, { limit: v2Limit(call), order }), {
    toItem: (each) => commentItem(call, each, format),
  })
}

function resolutionsOf(call: ApiCall, location: Location): Set<string> | undefined {
  const requested = call.query.getAll('resolution-status').flatMap((text) => text.split(','))
  if (location === 'footer' || requested.length === 0) return undefined
  const invalid = requested.find((status) => !['open', 'resolved', 'reopened', 'dangling'].includes(status))
  if (invalid !== undefined)
    throw new WikiError(400, `Provided value {${invalid}} for 'resolution-status' is not valid`)
  return new Set(requested)
}

const sorts: Record<string, (comment: Comment) => number> = {
  'created-date': ({ createdAt }) => Date.parse(createdAt),
  'modified-date': ({ version }) => Date.parse(version.when),
}

function orderOf(call: ApiCall): Order<Comment> {
  const name = call.query.get('sort') ?? 'id'
  const id = (comment: Comment) => comment.id
  if (name === 'id') return { name, compare: byNumber, id }
  const read = sorts[name.replace(/^-/, '')]
  if (read === undefined) throw new WikiError(400, `Provided value {${name}} for 'sort' is not valid`)
  const sign = name.startsWith('-') ? -1 : 1
  return { name, compare: (a, b) => sign * (read(a) - read(b)) || byNumber(a, b), id }
}

function visibleComment(call: ApiCall, location: Location): Comment {
  const comment = call.world.comments.get(call.params.id ?? '')
  if (comment?.location !== location || !canSeeContent(call.world, call.account, comment)) throw v2NotFound()
  return comment
}

/** A reply names its parent; outside a comment's children also the page. */
function commentItem(call: ApiCall, comment: Comment, format: string | null): Record<string, unknown> {
  const { id, status, title, parentId, pageId, location, version } = comment
  const ofBlog = call.world.nodes.get(pageId)?.kind === 'blogpost'
  const amongChildren = call.params.id !== undefined && /\/children(\?|$)/.test(call.url)
  const inline =
    location === 'footer'
      ? {}
      : {
          resolutionStatus: comment.resolution,
          properties: { inlineMarkerRef: comment.markerRef, inlineOriginalSelection: comment.selection },
        }
  return {
    id,
    status,
    title,
    ...(amongChildren ? {} : ofBlog ? { blogPostId: pageId } : { pageId }),
    ...(parentId === null ? {} : { parentCommentId: parentId }),
    version: versionItem(version),
    body: bodyOf(call, comment, format),
    ...inline,
    _links: {
      webui: `/pages/viewpage.action?pageId=${pageId}&focusedCommentId=${id}#comment-${id}`,
    },
  }
}
