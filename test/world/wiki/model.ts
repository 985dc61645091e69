/** The nouns of the simulated wiki, and the one place where its state lives. */

export type NodeKind = 'page' | 'blogpost' | 'folder'
export type NodeStatus = 'current' | 'archived' | 'trashed' | 'draft' | 'deleted'
export type RoleMode = 'PRE_ROLES' | 'ROLES_TRANSITION' | 'ROLES'
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

export interface Body {
  readonly view: string
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
  id: string
  pageId: string
  title: string
  mediaType: string
  fileId: string
  createdAt: string
  authorId: string
  comment: string
  version: number
  bytes: Buffer
  /** `missing`: the media host answers 404. `corrupt`: the bytes are not what the type says. */
  broken: 'no' | 'missing' | 'corrupt'
}

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
  adminKeyUntil: number
  /** null: every scope. */
  scopes: Set<string> | null
  /** CQL reads dates in the caller's own zone. */
  timeZoneMinutes: number
}

export interface Settings {
  roleMode: RoleMode
  removedV1: 'gone' | 'missing'
  nestedLimit: number
  groupNext: boolean
  latencyMs: number
  /** Search does not know changes after this number; null: the index is up to date. */
  searchKnows: number | null
  rateLimit: { capacity: number; perSecond: number } | null
  dcVersion: string
  dcContext: string
  dcNextWithContext: boolean
  dcUnderCount: boolean
  dcPhantomNext: boolean
  /** The plain listing promises no order; `title` is one that is not that of the ids. */
  dcOrder: 'id' | 'title'
  dcJsonRpc: 'on' | 'off' | 'websudo'
  /** Whether visitors are let in at all; rights that spaces give them stay written either way. */
  dcVisitors: boolean
  dcLoginPage: boolean
  dcCaptcha: boolean
}

export interface World {
  cloudId: string
  people: Map<string, Person>
  groups: Map<string, Group>
  spaces: Map<string, Space>
  nodes: Map<string, Node>
  attachments: Map<string, Attachment>
  accounts: Account[]
  settings: Settings
  /** Pages made for one permission shape each, by the shape's name. */
  shapes: Record<string, string>
  changes: number
  lastId: number
}

export const defaultSettings: Settings = {
  roleMode: 'ROLES_TRANSITION',
  removedV1: 'gone',
  nestedLimit: 100,
  groupNext: false,
  latencyMs: 0,
  searchKnows: null,
  rateLimit: null,
  dcVersion: '9.2.1',
  dcContext: '/confluence',
  dcNextWithContext: false,
  dcUnderCount: true,
  dcPhantomNext: false,
  dcOrder: 'id',
  dcJsonRpc: 'on',
  dcVisitors: true,
  dcLoginPage: false,
  dcCaptcha: false,
}

export function emptyWorld(settings: Partial<Settings> = {}): World {
  return {
    cloudId: '11111111-2222-4333-8444-555555555555',
    people: new Map(),
    groups: new Map(),
    spaces: new Map(),
    nodes: new Map(),
    attachments: new Map(),
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

/** From the root down to the direct parent. Data Center has no folders, so they fall out of its tree. */
export function ancestorsOf(world: World, node: Node, site: SiteName = 'cloud'): Node[] {
  const found: Node[] = []
  for (let id = node.parentId; id !== null; ) {
    const parent = world.nodes.get(id)
    if (parent === undefined) break
    if (site === 'cloud' || parent.kind !== 'folder') found.unshift(parent)
    id = parent.parentId
  }
  return found
}

export function childrenOf(world: World, id: string): Node[] {
  return [...world.nodes.values()].filter((node) => node.parentId === id && node.status === 'current')
}

export const isRestricted = (list: Principals): boolean => list.users.length + list.groups.length > 0
