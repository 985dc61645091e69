import { repliesOf, repliesUnder, thread } from '../model/comments.ts'
import type { Comment } from '../model/model.ts'
import { offsetPage } from '../paging.ts'
import { nestedList } from './attachment.ts'
import { bodyItem } from './body.ts'
import type { Expand, V1Context } from './expand.ts'
import { type ItemOptions, type JsonItem, ownAccountOf, partsOf } from './item-parts.ts'
import { userItem } from './people.ts'

/** Comments in v1. The container is the page, also for replies; ancestors are the parent comments. */
export function commentItem(
  context: V1Context,
  comment: Comment,
  { expand, pageItem }: ItemOptions,
): JsonItem {
  const { world } = context.call
  const page = world.nodes.get(comment.pageId)
  const replies = (inner: Expand, deep: boolean) => {
    const ofReplies = inner.get('comment')
    if (ofReplies === undefined) return {}
    const comments = deep ? repliesUnder(world, comment) : repliesOf(world, comment)
    return { comment: commentList(context, comment, { comments, expand: ofReplies, deep, pageItem }) }
  }
  const item = partsOf(
    { context, content: comment, expand },
    {
      container: (inner) => page && pageItem(page, inner),
      ancestors: (inner) =>
        thread(world, comment).map((each) => commentItem(context, each, { expand: inner, pageItem })),
      body: (inner) => bodyItem(context, comment, inner),
      metadata: () => ({}),
      restrictions: () => undefined,
      children: (inner) => replies(inner, false),
      descendants: (inner) => replies(inner, true),
    },
  )
  item.extensions = extensionsOf(context, comment, expand.get('extensions') ?? new Map())
  const anchor = `focusedCommentId=${comment.id}#comment-${comment.id}`
  item._links = {
    webui: `/pages/viewpage.action?pageId=${comment.pageId}&${anchor}`,
    self: ownAccountOf(context, comment),
  }
  return item
}

/** The location always; selection and resolution only if expanded. */
function extensionsOf(context: V1Context, comment: Comment, expand: Expand): JsonItem {
  const { location, selection, markerRef } = comment
  const expandable: Record<string, string> = {}
  const extensions: JsonItem = { location }
  if (expand.has('resolution')) extensions.resolution = resolutionOf(context, comment)
  else expandable.resolution = ''
  if (location === 'inline') {
    if (expand.has('inlineProperties'))
      extensions.inlineProperties = { originalSelection: selection, markerRef }
    else expandable.inlineProperties = ''
  }
  return { ...extensions, _expandable: expandable }
}

function resolutionOf(context: V1Context, comment: Comment): JsonItem {
  if (comment.location !== 'inline') return {}
  const person = comment.resolvedBy === null ? undefined : context.call.world.people.get(comment.resolvedBy)
  return {
    status: comment.resolution,
    ...(person === undefined
      ? {}
      : { lastModifier: userItem(context, person), lastModifiedDate: comment.version.when }),
  }
}

export function commentList(
  context: V1Context,
  node: { id: string },
  { comments, deep, ...options }: ItemOptions & { comments: Comment[]; deep: boolean },
): JsonItem {
  const slice = { start: 0, limit: context.call.world.settings.nestedChildren }
  const kind = deep ? 'comment?depth=all' : 'comment'
  return nestedList(context, { node, kind, slice }, (from, limit) => {
    const { results, ...page } = offsetPage(comments, from, limit)
    return { ...page, results: results.map((each) => commentItem(context, each, options)) }
  })
}
