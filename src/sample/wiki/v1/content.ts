import { sees } from '../access/truth.ts'
import { WikiError } from '../http.ts'
import { commentsOf } from '../model/comments.ts'
import { ancestorsOf, type Content, type Node, type SiteName, type World } from '../model/model.ts'
import { attachmentItem, attachmentList } from './attachment.ts'
import { bodyItem } from './body.ts'
import { commentItem, commentList } from './comment.ts'
import { partsOf, selfOf, spaceItem } from './content-parts.ts'
import type { Expand, Wording } from './expand.ts'
import { restrictionsItem } from './restrictions.ts'

/** Content as v1 words it, on Cloud and on Data Center: what is not expanded is only named. */
export function contentItem(wording: Wording, content: Content, expand: Expand): Record<string, unknown> {
  if (content.kind === 'attachment') return attachmentItem(wording, content, { expand, render: contentItem })
  if (content.kind === 'comment') return commentItem(wording, content, { expand, render: contentItem })
  return nodeItem(wording, content, expand)
}

function nodeItem(wording: Wording, node: Node, expand: Expand): Record<string, unknown> {
  const { call, site } = wording
  const { world } = call
  const children = (inner: Expand, deep: boolean) => {
    const [files, said] = [inner.get('attachment'), inner.get('comment')]
    const comments = commentsOf(world, node.id).filter(({ parentId }) => deep || parentId === null)
    return {
      ...(files === undefined
        ? {}
        : { attachment: attachmentList(wording, node, { expand: files, render: contentItem }) }),
      ...(said === undefined
        ? {}
        : { comment: commentList(wording, node, { comments, expand: said, render: contentItem, deep }) }),
    }
  }
  const item = partsOf(
    { wording, content: node, expand },
    {
      ancestors: (inner) => ancestorItems(wording, node, inner),
      body: (inner) => bodyItem(wording, node, inner),
      metadata: (inner) => (inner.has('labels') ? { labels: labelList(node) } : {}),
      // The powerless account is not told; what it was not told stays among the expandables.
      restrictions: (inner) => (call.account.forbidden ? undefined : restrictionsItem(wording, node, inner)),
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
    self: selfOf(wording, node),
  }
  return item
}

export function webuiOf(world: World, node: Node, site: SiteName = 'cloud'): string {
  if (site === 'dataCenter') return `/pages/viewpage.action?pageId=${node.id}`
  const day = node.createdAt.slice(0, 10).replaceAll('-', '/')
  const kind = node.kind === 'blogpost' ? `blog/${day}` : node.kind === 'page' ? 'pages' : node.kind
  const title = encodeURIComponent(node.title).replaceAll('%20', '+')
  return `/spaces/${world.spaces.get(node.spaceId)?.key}/${kind}/${node.id}/${title}`
}

function ancestorItems(wording: Wording, node: Node, expand: Expand): unknown[] {
  const { call, site } = wording
  const above = ancestorsOf(call.world, node, site)
  // One ancestor that the caller may not read fails the whole batch, once its restrictions are asked for.
  if (
    expand.has('restrictions') &&
    above.some((each) => each.status !== 'current' || !sees(call.world, call.account, each, site))
  ) {
    throw new WikiError(
      404,
      'Cannot find content. Outdated version/old_draft/trashed? Please provide valid ContentId.',
    )
  }
  return above.map((each) => contentItem(wording, each, expand))
}

export const labelList = (node: Node) => ({
  results: node.labels.map((name) => ({ prefix: 'global', name, id: labelId(name), label: name })),
  start: 0,
  limit: 200,
  size: node.labels.length,
})

export const labelId = (name: string): string =>
  String([...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7))
