import type { Call } from './http.ts'
import { Refusal } from './http.ts'
import {
  ancestorsOf,
  type Group,
  type Node,
  type Person,
  type SiteName,
  type Space,
  type World,
} from './model.ts'
import { offsetPage } from './paging.ts'
import { restrictionsItem, type Slice } from './restrictions.ts'
import { sees } from './truth.ts'

/** Pages, people, groups and restrictions as v1 words them, on Cloud and on Data Center. */
export type Expand = Map<string, Expand>

/** 8 is the wiki's limit of sub-expansions in one chain; more is a 400. */
export function parseExpand(text: string | null): Expand {
  const root: Expand = new Map()
  for (const chain of (text ?? '').split(',')) {
    const names = chain
      .trim()
      .split('.')
      .filter((name) => name !== '')
    if (names.length > 9)
      throw new Refusal(400, `Too many sub-expansions in ${names[0]}: at most 8 are allowed`)
    let place = root
    for (const name of names) {
      const inner = place.get(name) ?? new Map<string, Expand>()
      place.set(name, inner)
      place = inner
    }
  }
  return root
}

export interface Wording {
  call: Call
  site: 'cloud' | 'dataCenter'
}

export function contentItem(wording: Wording, node: Node, expand: Expand): Record<string, unknown> {
  const { call, site } = wording
  const { world } = call
  const space = world.spaces.get(node.spaceId)
  const item: Record<string, unknown> = {
    id: node.id,
    type: node.kind,
    status: node.status,
    title: node.title,
  }
  const expandable: Record<string, string> = {}
  const part = (name: string, make: (inner: Expand) => unknown) => {
    const inner = expand.get(name)
    const made = inner === undefined ? undefined : make(inner)
    if (made === undefined) expandable[name] = `/rest/api/content/${node.id}?expand=${name}`
    else item[name] = made
  }
  part('space', () => space && spaceItem(space))
  part('ancestors', (inner) => ancestorItems(wording, node, inner))
  part('version', () => versionItem(wording, node))
  part('history', (inner) => ({
    latest: true,
    createdBy: userItem(wording, world.people.get(node.authorId)),
    createdDate: node.createdAt,
    ...(inner.has('lastUpdated') ? { lastUpdated: versionItem(wording, node) } : {}),
  }))
  part('body', (inner) => bodyItem(wording, node, inner))
  part('metadata', (inner) => (inner.has('labels') ? { labels: labelList(node) } : {}))
  // The powerless account is not told; what it was not told stays among the expandables.
  part('restrictions', (inner) =>
    call.account.forbidden ? undefined : restrictionsItem(wording, node, inner),
  )
  part('children', (inner) =>
    inner.has('attachment') ? { attachment: attachmentList(wording, node).list } : {},
  )
  item.extensions = { position: node.position }
  item._expandable = expandable
  item._links = {
    webui: webuiOf(world, node, site),
    tinyui: `/x/${Number(node.id).toString(36)}`,
    self: `${baseOf(wording)}/rest/api/content/${node.id}`,
  }
  return item
}

export const baseOf = ({ call, site }: Wording): string =>
  site === 'cloud' ? call.places.cloudUrl : call.places.dataCenterUrl

export function webuiOf(world: World, node: Node, site: SiteName = 'cloud'): string {
  if (site === 'dataCenter') return `/pages/viewpage.action?pageId=${node.id}`
  const kind = node.kind === 'folder' ? 'folder' : node.kind === 'blogpost' ? 'blog' : 'pages'
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

export function userItem(
  { site }: Wording,
  person: Person | undefined,
  showEmail = false,
): Record<string, unknown> {
  const known = person ?? unknownPerson
  if (site === 'dataCenter') {
    const { username, userKey, name } = known
    const profilePicture = {
      path: '/images/icons/profilepics/default.svg',
      width: 48,
      height: 48,
      isDefault: true,
    }
    return {
      type: 'known',
      username,
      userKey,
      displayName: name,
      status: known.active ? 'current' : 'deactivated',
      profilePicture,
    }
  }
  return {
    type: person === undefined ? 'unknown' : 'known',
    accountId: known.accountId,
    accountType: known.accountType,
    email: showEmail && known.emailVisible ? known.email : '',
    publicName: known.name,
    displayName: known.name,
    isExternalCollaborator: known.guest,
    isGuest: known.guest,
  }
}

export function groupItem({ site }: Wording, group: Group): Record<string, unknown> {
  if (site === 'dataCenter') return { type: 'group', name: group.name }
  return { type: 'group', name: group.name, id: group.id, usageType: 'USERBASE_GROUP', managedBy: 'ADMINS' }
}

function ancestorItems(wording: Wording, node: Node, expand: Expand): unknown[] {
  const { call, site } = wording
  const above = ancestorsOf(call.world, node, site)
  // One ancestor that the caller may not read fails the whole batch, once its restrictions are asked for.
  if (
    expand.has('restrictions') &&
    above.some((each) => each.status !== 'current' || !sees(call.world, call.account, each, site))
  ) {
    throw new Refusal(
      404,
      'Cannot find content. Outdated version/old_draft/trashed? Please provide valid ContentId.',
    )
  }
  return above.map((each) => contentItem(wording, each, expand))
}

const versionItem = (wording: Wording, { version, id }: Node) => ({
  by: userItem(wording, wording.call.world.people.get(version.by)),
  when: version.when,
  message: version.message,
  number: version.number,
  minorEdit: version.minorEdit,
  _links: { self: `${baseOf(wording)}/rest/api/content/${id}/version/${version.number}` },
})

function bodyItem(wording: Wording, node: Node, expand: Expand): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const representation of expand.keys()) {
    const value = bodyValue(wording, node, representation)
    if (value !== undefined) body[representation] = { value, representation, embeddedContent: [] }
  }
  return body
}

export function bodyValue({ call, site }: Wording, node: Node, representation: string): string | undefined {
  const value = bodyIn(node, representation)
  if (site === 'cloud' || value === undefined) return value
  return value.replaceAll('"/wiki/', `"${call.world.settings.dcContext}/`)
}

function bodyIn(node: Node, representation: string): string | undefined {
  switch (representation) {
    case 'view':
    case 'export_view':
    case 'styled_view':
    case 'anonymous_export_view':
      return node.body.view
    case 'storage':
    case 'editor':
      return node.body.storage
    case 'atlas_doc_format':
      return JSON.stringify({
        version: 1,
        type: 'doc',
        content: [{ type: 'paragraph', content: [{ type: 'text', text: plainText(node) }] }],
      })
    default:
      return undefined
  }
}

const plainText = (node: Node): string =>
  node.body.view
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

export const labelList = (node: Node) => ({
  results: node.labels.map((name) => ({ prefix: 'global', name, id: labelId(name), label: name })),
  start: 0,
  limit: 200,
  size: node.labels.length,
})

export const labelId = (name: string): string =>
  String([...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7))

export function attachmentList(wording: Wording, node: Node, slice: Slice = { start: 0, limit: 25 }) {
  const { world } = wording.call
  const all = [...world.attachments.values()].filter((attachment) => attachment.pageId === node.id)
  const { more, ...page } = offsetPage(all, slice.start, slice.limit)
  const results = page.results.map((attachment) => ({
    id: attachment.id,
    type: 'attachment',
    status: 'current',
    title: attachment.title,
    version: { number: attachment.version, when: attachment.createdAt },
    extensions: {
      mediaType: attachment.mediaType,
      fileSize: attachment.bytes.length,
      comment: attachment.comment,
    },
    _links: {
      download: `/download/attachments/${node.id}/${encodeURIComponent(attachment.title)}?version=${attachment.version}&api=v2`,
      webui: `/pages/viewpageattachments.action?pageId=${node.id}`,
    },
  }))
  return { more, list: { ...page, results } }
}

export const unknownPerson: Person = {
  accountId: 'unknown',
  accountType: 'atlassian',
  name: 'Former user (Deleted)',
  email: '',
  emailVisible: false,
  username: 'unknown',
  userKey: 'unknown',
  active: false,
  licensed: false,
  guest: false,
}
