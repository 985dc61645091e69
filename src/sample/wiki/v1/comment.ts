import { repliesOf, repliesUnder, thread } from '../model/comments.ts'
import type { Comment } from '../model/model.ts'
import { offsetPage } from '../paging.ts'
import { nestedList } from './attachment.ts'
import { bodyItem } from './body.ts'
import { partsOf, type RenderContent, selfOf } from './content-parts.ts'
import type { Expand, Wording } from './expand.ts'
import { userItem } from './people.ts'

type Rendering = { expand: Expand; render: RenderContent }

/** Comments as v1 words them. The container is the page, for replies too; what they answer are the ancestors. */
export function commentItem(
  wording: Wording,
  comment: Comment,
  { expand, render }: Rendering,
): Record<string, unknown> {
  const { world } = wording.call
  const page = world.nodes.get(comment.pageId)
  const replies = (inner: Expand, deep: boolean) => {
    const said = inner.get('comment')
    if (said === undefined) return {}
    const comments = deep ? repliesUnder(world, comment) : repliesOf(world, comment)
    return { comment: commentList(wording, comment, { comments, expand: said, render, deep }) }
  }
  const item = partsOf(
    { wording, content: comment, expand },
    {
      container: (inner) => page && render(wording, page, inner),
      ancestors: (inner) => thread(world, comment).map((each) => render(wording, each, inner)),
      body: (inner) => bodyItem(wording, comment, inner),
      metadata: () => ({}),
      restrictions: () => undefined,
      children: (inner) => replies(inner, false),
      descendants: (inner) => replies(inner, true),
    },
  )
  item.extensions = extensionsOf(wording, comment, expand.get('extensions') ?? new Map())
  const anchor = `focusedCommentId=${comment.id}#comment-${comment.id}`
  item._links = {
    webui: `/pages/viewpage.action?pageId=${comment.pageId}&${anchor}`,
    self: selfOf(wording, comment),
  }
  return item
}

/** Where it stands is always told; what it is about and whether it is settled only when expanded. */
function extensionsOf(wording: Wording, comment: Comment, expand: Expand): Record<string, unknown> {
  const { location, selection, markerRef } = comment
  const expandable: Record<string, string> = {}
  const told: Record<string, unknown> = { location }
  if (expand.has('resolution')) told.resolution = resolutionOf(wording, comment)
  else expandable.resolution = ''
  if (location === 'inline') {
    if (expand.has('inlineProperties')) told.inlineProperties = { originalSelection: selection, markerRef }
    else expandable.inlineProperties = ''
  }
  return { ...told, _expandable: expandable }
}

function resolutionOf(wording: Wording, comment: Comment): Record<string, unknown> {
  if (comment.location !== 'inline') return {}
  const person = comment.resolvedBy === null ? undefined : wording.call.world.people.get(comment.resolvedBy)
  return {
    status: comment.resolution,
    ...(person === undefined
      ? {}
      : { lastModifier: userItem(wording, person), lastModifiedDate: comment.version.when }),
  }
}

export function commentList(
  wording: Wording,
  node: { id: string },
  { comments, expand, render, deep }: Rendering & { comments: Comment[]; deep: boolean },
): Record<string, unknown> {
  const slice = { start: 0, limit: wording.call.world.settings.nestedChildren }
  const kind = deep ? 'comment?depth=all' : 'comment'
  return nestedList(wording, { node, kind, slice }, (from, limit) => {
    const { results, ...page } = offsetPage(comments, from, limit)
    return { ...page, results: results.map((each) => render(wording, each, expand)) }
  })
}
