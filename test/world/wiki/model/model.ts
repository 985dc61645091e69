import type { FileBody } from './file-body.ts'
import { defaultSettings, type Settings } from './settings.ts'

/** The types and the state of the simulated wiki. */

export type NodeKind = 'page' | 'blogpost' | 'folder' | 'whiteboard' | 'database'
export type NodeStatus = 'current' | 'archived' | 'trashed' | 'draft' | 'deleted' | 'historical'
export type SiteName = 'cloud' | 'dataCenter' | 'media'

export interface WikiPerson {
  accountId: string
  accountType: 'atlassian' | 'app' | 'customer'
  name: string
  email: string
  /** If false, the API returns '' for the address, as on Cloud. */
  emailVisible: boolean
  username: string
  userKey: string
  active: boolean
  /** A deleted account: no name, but its id remains in old lists. */
  closed: boolean
  /** May use the product; without it, grants and groups that name the account do not count. */
  licensed: boolean
  guest: boolean
}

export interface Group {
  id: string
  name: string
  members: Set<string>
  /** A deleted group remains in old restrictions and is 404 elsewhere. */
  deleted: boolean
}

export interface RestrictionList {
  users: string[]
  groups: string[]
}

export interface Restrictions {
  read: RestrictionList
  update: RestrictionList
}

export interface SpacePermission {
  principal: { type: 'user' | 'group' | 'access-class'; id: string }
  operation: { key: string; targetType: string }
}

export interface Space {
  id: string
  key: string
  name: string
  type: 'global' | 'personal'
  status: 'current' | 'archived'
  homepageId: string | null
  authorId: string
  createdAt: string
  description: string | null
  usesRoles: boolean
  permissions: SpacePermission[]
}

/** The stored source; views differ by viewer and are rendered on request. */
export interface Body {
  readonly storage: string
}

export interface Version {
  number: number
  when: string
  by: string
  message: string
  minorEdit: boolean
}

export interface ContentNode {
  id: string
  kind: NodeKind
  status: NodeStatus
  title: string
  spaceId: string
  parentId: string | null
  position: number
  authorId: string
  createdAt: string
  version: Version
  labels: string[]
  restrictions: Restrictions
  body: Body
  /** `World.changes` at the last change; a lagging search index knows older values only. */
  changed: number
}

export interface Attachment {
  kind: 'attachment'
  id: string
  pageId: string
  status: 'current' | 'trashed'
  title: string
  mediaType: string
  /** The file id of the current version; each upload is a separate file on the media host. */
  fileId: string
  createdAt: string
  authorId: string
  comment: string
  version: Version
  bytes: FileBody
  /** Earlier versions by number. */
  older: Map<number, { fileId: string; bytes: FileBody }>
  /** `missing`: the media host responds with 404. `corrupt`: the bytes do not match the type. */
  broken: 'no' | 'missing' | 'corrupt'
  changed: number
}

export type Resolution = 'open' | 'resolved' | 'reopened' | 'dangling'

export interface Comment {
  kind: 'comment'
  id: string
  pageId: string
  status: 'current'
  title: string
  /** The parent comment; null at the root. */
  parentId: string | null
  location: 'footer' | 'inline'
  /** For inline comments; replies share their root's. */
  resolution: Resolution
  resolvedBy: string | null
  selection: string
  markerRef: string
  body: Body
  createdAt: string
  authorId: string
  version: Version
  changed: number
}

/** What search finds, and what v1 addresses by id. */
export type Content = ContentNode | Attachment | Comment

/** A caller of the API. It sees what its person sees, unless `seesAll`. */
export interface ApiAccount {
  name: string
  accountId: string
  email: string
  apiToken: string
  scopedToken: string
  bearer: string
  pat: string
  username: string
  password: string
  /** All its credentials are refused, like an expired token. */
  expired?: boolean
  /** As if named in every restriction and space, like a well-prepared crawler account. */
  seesAll: boolean
  hiddenSpaces: Set<string>
  hiddenNodes: Set<string>
  /** 403 on restrictions, space permissions and group members. */
  forbidden: boolean
  admin: boolean
  /** May call `permission/check` for others, like an administrator. */
  mayCheck: boolean
  adminKeyUntil: number
  /** 404 on the role mode of the site. */
  hiddenRoleMode?: boolean
  /** null: every scope. */
  scopes: Set<string> | null
  /** CQL reads dates in the caller's time zone. */
  timeZoneMinutes: number
}

export interface World {
  cloudId: string
  people: Map<string, WikiPerson>
  groups: Map<string, Group>
  spaces: Map<string, Space>
  nodes: Map<string, ContentNode>
  /** Earlier versions by content id, oldest first. */
  olderVersions: Map<string, Pick<ContentNode, 'title' | 'body' | 'version'>[]>
  attachments: Map<string, Attachment>
  /** By page id, so that lookups do not scan all files. */
  attachmentsOf: Map<string, Attachment[]>
  /** By the media host's file id, including old versions. */
  files: Map<string, { attachment: Attachment; bytes: FileBody }>
  comments: Map<string, Comment>
  commentsOf: Map<string, Comment[]>
  accounts: ApiAccount[]
  settings: Settings
  /** Page ids by the name of the permission shape they show. */
  shapes: Record<string, string>
  changes: number
  lastId: number
}

export function emptyWorld(settings: Partial<Settings> = {}): World {
  return {
    cloudId: '11111111-2222-4333-8444-555555555555',
    people: new Map(),
    groups: new Map(),
    spaces: new Map(),
    nodes: new Map(),
    olderVersions: new Map(),
    attachments: new Map(),
    attachmentsOf: new Map(),
    files: new Map(),
    comments: new Map(),
    commentsOf: new Map(),
    accounts: [],
    settings: { ...defaultSettings, ...settings },
    shapes: {},
    changes: 0,
    lastId: 98304,
  }
}

export const noRestrictions = (): Restrictions => ({
  read: { users: [], groups: [] },
  update: { users: [], groups: [] },
})

/** Ids only grow, which keeps `world.nodes` in id order. */
export function newId(world: World): string {
  world.lastId += 7
  return String(world.lastId)
}

/** Data Center has only pages and blog posts. */
export const isCloudOnly = (kind: Content['kind']): boolean =>
  kind === 'folder' || kind === 'whiteboard' || kind === 'database'

/** From the root to the direct parent. Data Center has no folders, so they are left out. */
export function ancestorNodes(world: World, node: ContentNode, site: SiteName = 'cloud'): ContentNode[] {
  const found: ContentNode[] = []
  for (let id = node.parentId; id !== null; ) {
    const parent = world.nodes.get(id)
    if (parent === undefined) break
    if (site === 'cloud' || !isCloudOnly(parent.kind)) found.unshift(parent)
    id = parent.parentId
  }
  return found
}

export function childrenOf(world: World, id: string): ContentNode[] {
  return [...world.nodes.values()].filter((node) => node.parentId === id && node.status === 'current')
}

export const isRestricted = (list: RestrictionList): boolean => list.users.length + list.groups.length > 0

export const contentById = (world: World, id: string): Content | undefined =>
  world.nodes.get(id) ?? world.attachments.get(id) ?? world.comments.get(id)

/** The page or blog post whose permissions apply to the content. */
export const pageOf = (world: World, content: Content): ContentNode | undefined =>
  'pageId' in content ? world.nodes.get(content.pageId) : content
