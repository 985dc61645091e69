import { sees } from '../access/truth.ts'
import { WikiError } from '../http.ts'
import { commentsOf } from '../model/comments.ts'
import {
  ancestorsOf,
  type Content,
  type Node,
  pageOf,
  type SiteName,
  type Space,
  type World,
} from '../model/model.ts'
import { attachmentItem, attachmentList } from './attachment.ts'
import { bodyItem } from './body.ts'
import { commentItem, commentList } from './comment.ts'
import { baseOf, type Expand, type Wording } from './expand.ts'
import { userItem } from './people.ts'
import { restrictionsItem } from './restrictions.ts'

/** Content in v1, on Cloud and Data Center; parts that are not expanded are only named. */
export function contentItem(wording: Wording, content: Content, expand: Expand): Record<string, unknown> {
  if (content.kind === 'attachment') return attachmentItem(wording, content, expand)
  if (content.kind === 'comment') return commentItem(wording, content, expand)
  return nodeItem(wording, content, expand)
}

type Parts = Record<string, (inner: Expand) => unknown>

/** A part that returns undefined remains expandable. */
export function partsOf(
  { wording, content, expand }: { wording: Wording; content: Content; expand: Expand },
  parts: Parts,
): Record<string, unknown> {
  const { call } = wording
  const { id, kind, status, title } = content
  const item: Record<string, unknown> = { id, type: kind, status, title }
  const expandable: Record<string, string> = {}
  const common: Parts = {
    space: () => {
      const space = call.world.spaces.get(pageOf(call.world, content)?.spaceId ?? '')
      return space && spaceItem(space)
    },
    version: () => versionItem(wording, content),
    history: (inner) => ({
      latest: true,
      createdBy: userItem(wording, call.world.people.get(content.authorId)),
      createdDate: content.createdAt,
      ...(inner.has('lastUpdated') ? { lastUpdated: versionItem(wording, content) } : {}),
    }),
  }
  for (const [name, make] of Object.entries({ ...common, ...parts })) {
    const inner = expand.get(name)
    const made = inner === undefined ? undefined : make(inner)
    if (made === undefined) expandable[name] = `/rest/api/content/${id}?expand=${name}`
    else item[name] = made
  }
  item._expandable = expandable
  return item
}

export const selfOf = (wording: Wording, { id }: Content): string =>
  `${baseOf(wording)}/rest/api/content/${id}`

function nodeItem(wording: Wording, node: Node, expand: Expand): Record<string, unknown> {
  const { call, site } = wording
  const { world } = call
  const children = (inner: Expand, deep: boolean) => {
    const [files, said] = [inner.get('attachment'), inner.get('comment')]
    const comments = commentsOf(world, node.id).filter(({ parentId }) => deep || parentId === null)
    return {
      ...(files === undefined ? {} : { attachment: attachmentList(wording, node, files) }),
      ...(said === undefined
        ? {}
        : { comment: commentList(wording, node, { comments, expand: said, deep }) }),
    }
  }
  const item = partsOf(
    { wording, content: node, expand },
    {
      ancestors: (inner) => ancestorItems(wording, node, inner),
      body: (inner) => bodyItem(wording, node, inner),
      metadata: (inner) => (inner.has('labels') ? { labels: labelList(node) } : {}),
      // Without the permission, the part remains expandable.
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

export const spaceItem = (space: Space): Record<string, unknown> => ({
  id: Number(space.id),
  key: space.key,
  name: space.name,
  type: space.type,
  status: space.status,
  _links: { webui: `/spaces/${space.key}` },
})

function ancestorItems(wording: Wording, node: Node, expand: Expand): unknown[] {
  const { call, site } = wording
  const above = ancestorsOf(call.world, node, site)
  // With restrictions expanded, one unreadable ancestor fails the whole batch.
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

const versionItem = (wording: Wording, content: Content) => ({
  by: userItem(wording, wording.call.world.people.get(content.version.by)),
  when: content.version.when,
  message: content.version.message,
  number: content.version.number,
  minorEdit: content.version.minorEdit,
  _links: { self: `${selfOf(wording, content)}/version/${content.version.number}` },
})

export const labelList = (node: Node) => ({
  results: node.labels.map((name) => ({ prefix: 'global', name, id: labelId(name), label: name })),
  start: 0,
  limit: 200,
  size: node.labels.length,
})

export const labelId = (name: string): string =>
  String([...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7))
