import { canSee } from '../access/truth.ts'
import { WikiError } from '../http.ts'
import { pageComments } from '../model/comments.ts'
import { ancestorNodes, type Content, type ContentNode, type SiteName, type World } from '../model/model.ts'
import { attachmentItem, attachmentList } from './attachment.ts'
import { bodyItem } from './body.ts'
import { commentItem, commentList } from './comment.ts'
import type { Expand, V1Context } from './expand.ts'
import { type JsonItem, ownAccountOf, partsOf, spaceItem } from './item-parts.ts'
import { restrictionsItem } from './restrictions.ts'

/** Content in v1, on Cloud and Data Center; parts that are not expanded are only named. */
export function contentItem(context: V1Context, content: Content, expand: Expand): JsonItem {
  const options = { expand, pageItem: pageItemOf(context) }
  if (content.kind === 'attachment') return attachmentItem(context, content, options)
  if (content.kind === 'comment') return commentItem(context, content, options)
  return nodeItem(context, content, expand)
}

const pageItemOf = (context: V1Context) => (page: ContentNode, expand: Expand) =>
  nodeItem(context, page, expand)

function nodeItem(context: V1Context, node: ContentNode, expand: Expand): JsonItem {
  const { call, site } = context
  const { world } = call
  const pageItem = pageItemOf(context)
  const children = (inner: Expand, deep: boolean) => {
    const [ofFiles, ofComments] = [inner.get('attachment'), inner.get('comment')]
    const comments = pageComments(world, node.id).filter(({ parentId }) => deep || parentId === null)
    return {
      ...(ofFiles && { attachment: attachmentList(context, node, { expand: ofFiles, pageItem }) }),
      ...(ofComments && {
        comment: commentList(context, node, { comments, expand: ofComments, deep, pageItem }),
      }),
    }
  }
  const item = partsOf(
    { context, content: node, expand },
    {
      ancestors: (inner) => ancestorItems(context, node, inner),
      body: (inner) => bodyItem(context, node, inner),
      metadata: (inner) => (inner.has('labels') ? { labels: labelList(node) } : {}),
      // Without the permission, the part remains expandable.
      restrictions: (inner) => (call.account.forbidden ? undefined : restrictionsItem(context, node, inner)),
      container: () => {
        const space = world.spaces.get(node.spaceId)
        return space && spaceItem(space)
      },
      children: (inner) => children(inner, false),
      descendants: (inner) => children(inner, true),
    },
  )
  item.extensions = node.kind === 'page' ? { position: node.position } : {}
  item._links = {
    webui: webuiOf(world, node, site),
    tinyui: `/x/${Number(node.id).toString(36)}`,
    self: ownAccountOf(context, node),
  }
  return item
}

export function webuiOf(world: World, node: ContentNode, site: SiteName = 'cloud'): string {
  if (site === 'dataCenter') return `/pages/viewpage.action?pageId=${node.id}`
  const day = node.createdAt.slice(0, 10).replaceAll('-', '/')
  const kind = node.kind === 'blogpost' ? `blog/${day}` : node.kind === 'page' ? 'pages' : node.kind
  const title = encodeURIComponent(node.title).replaceAll('%20', '+')
  return `/spaces/${world.spaces.get(node.spaceId)?.key}/${kind}/${node.id}/${title}`
}

function ancestorItems(context: V1Context, node: ContentNode, expand: Expand): unknown[] {
  const { call, site } = context
  const above = ancestorNodes(call.world, node, site)
  // With restrictions expanded, one unreadable ancestor fails the whole batch.
  if (
    expand.has('restrictions') &&
    above.some((each) => each.status !== 'current' || !canSee(call.world, call.account, each, site))
  ) {
    throw new WikiError(
      404,
      'Cannot find content. Outdated version/old_draft/trashed? Please provide valid ContentId.',
    )
  }
  return above.map((each) => contentItem(context, each, expand))
}

export const labelList = (node: ContentNode) => ({
  results: node.labels.map((name) => ({ prefix: 'global', name, id: labelId(name), label: name })),
  start: 0,
  limit: 200,
  size: node.labels.length,
})

export const labelId = (name: string): string =>
  String([...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7))
