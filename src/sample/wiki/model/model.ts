import type { FileBody } from './file-body.ts'
import { defaultSettings, type Settings } from './settings.ts'

/** The nouns of the simulated wiki, and the one place where its state lives. */

export type NodeKind = 'page' | 'blogpost' | 'folder' | 'whiteboard' | 'database'
export type NodeStatus = 'current' | 'archived' | 'trashed' | 'draft' | 'deleted'
export type SiteName = 'cloud' | 'dataCenter' | 'media'

export interface Person {
  accountId: string
  accountType: 'atlassian' | 'app' | 'customer'
  name: string
  email: string
  /** Cloud hides the address of people who ask for it; the API then answers with ''. */
  emailVisible: boolean
  username: string
  userKey: string
  active: boolean
  /** The account was deleted: its name is gone, its id stays in old lists. */
  closed: boolean
  licensed: boolean
  guest: boolean
}

export interface Group {
  id: string
  name: string
  members: Set<string>
  /** A deleted group still stands in old restrictions, and is 404 everywhere else. */
  deleted: boolean
}

export interface Principals {
  users: string[]
  groups: string[]
}

export interface Restrictions {
  read: Principals
  update: Principals
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

/** What was typed. What is shown differs by viewer, and is rendered when asked for. */
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

export interface Node {
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
  /** The value of `World.changes` when it last changed: what a lagging search index has not seen. */
  changed: number
}

export interface Attachment {
  kind: 'attachment'
  id: string
  pageId: string
  status: 'current' | 'trashed'
  title: string
  mediaType: string
  /** Of the present version: each upload is a file of its own at the media host. */
  fileId: string
  createdAt: string
  authorId: string
  comment: string
  version: Version
  bytes: FileBody
  /** What earlier versions held, by version number. */
  older: Map<number, { fileId: string; bytes: FileBody }>
  /** `missing`: the media host answers 404. `corrupt`: the bytes are not what the type says. */
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
  /** The comment it answers; null at the root. */
  parentId: string | null
  location: 'footer' | 'inline'
  /** Of inline comments; replies have that of their root. */
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

/** What search finds, and what has an id of its own in v1. */
export type Content = Node | Attachment | Comment

/** Someone who calls the API. Visibility is the person's own unless `seesAll`. */
export interface Account {
  name: string
  accountId: string
  email: string
  apiToken: string
  scopedToken: string
  bearer: string
  pat: string
  username: string
  password: string
  /** As if named in every restriction and space: what a well-prepared crawler account is. */
  seesAll: boolean
  hiddenSpaces: Set<string>
  hiddenNodes: Set<string>
  /** 403 on restrictions, space permissions and group members. */
  forbidden: boolean
  admin: boolean
  /** May ask `permission/check` for other people, as Confluence administrators do. */
  mayCheck: boolean
  adminKeyUntil: number
  /** null: every scope. */
  scopes: Set<string> | null
  /** CQL reads dates in the caller's own zone. */
  timeZoneMinutes: number
}

export interface World {
  cloudId: string
  people: Map<string, Person>
  groups: Map<string, Group>
  spaces: Map<string, Space>
  nodes: Map<string, Node>
  attachments: Map<string, Attachment>
  /** By page, so that no question about one page looks at the files of all. */
  attachmentsOf: Map<string, Attachment[]>
  /** By file id, as the media host knows them; old versions too. */
  files: Map<string, { attachment: Attachment; bytes: FileBody }>
  comments: Map<string, Comment>
  commentsOf: Map<string, Comment[]>
  accounts: Account[]
  settings: Settings
  /** Pages made for one permission shape each, by the shape's name. */
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

/** Ids only grow, so that `world.nodes` stays in id order without sorting. */
export function newId(world: World): string {
  world.lastId += 7
  return String(world.lastId)
}

/** Data Center has only pages and blog posts. */
export const isCloudOnly = (kind: Content['kind']): boolean =>
  kind === 'folder' || kind === 'whiteboard' || kind === 'database'

/** From the root down to the direct parent. Data Center has no folders, so they fall out of its tree. */
export function ancestorsOf(world: World, node: Node, site: SiteName = 'cloud'): Node[] {
  const found: Node[] = []
  for (let id = node.parentId; id !== null; ) {
    const parent = world.nodes.get(id)
    if (parent === undefined) break
    if (site === 'cloud' || !isCloudOnly(parent.kind)) found.unshift(parent)
    id = parent.parentId
  }
  return found
}

export function childrenOf(world: World, id: string): Node[] {
  return [...world.nodes.values()].filter((node) => node.parentId === id && node.status === 'current')
}

export const isRestricted = (list: Principals): boolean => list.users.length + list.groups.length > 0

export const contentById = (world: World, id: string): Content | undefined =>
  world.nodes.get(id) ?? world.attachments.get(id) ?? world.comments.get(id)

/** The page or blog post whose rights decide: attachments and comments have none of their own. */
export const pageOf = (world: World, content: Content): Node | undefined =>
  'pageId' in content ? world.nodes.get(content.pageId) : content
