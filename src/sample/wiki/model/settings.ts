/** How the simulated wiki behaves; every one can be changed while it runs, with `control.set`. */
export type RoleMode = 'PRE_ROLES' | 'ROLES_TRANSITION' | 'ROLES'

export interface Settings {
  roleMode: RoleMode
  /** `served`: `GET /space/{key}` still answers; the other removed ones are gone. */
  removedV1: 'gone' | 'missing' | 'served'
  /** Whether the site lets anonymous visitors in; rows of spaces for them stay either way. */
  cloudVisitors: boolean
  /** How `/spaces/{id}/permissions` spells access classes, and their principal type. */
  classSpelling: 'all-licensed-users' | 'ALL_LICENSED_USERS'
  classType: 'access-class' | 'ACCESS_CLASS'
  /** Account ids that hold a class which is not built in, by its name. */
  classMembers: Record<string, string[]>
  /** v1 users carry the undocumented `accountStatus`. */
  v1AccountStatus: boolean
  /** What `GET /user` of v1 answers for a closed account. */
  closedUsers: 'shown' | 'missing'
  /** CONFCLOUD-82920: restrictions of folders, whiteboards and databases read as empty. */
  folderRestrictionsHidden: boolean
  /** What `permission/check` answers for a folder's id; real behaviour is unknown. */
  checkOnFolder: 'works' | 'missing'
  /** What the gateway answers when the token lacks the scope. */
  missingScope: 401 | 403 | 404
  nestedLimit: number
  /** How many children (attachments, comments) an expansion tells before it links to the rest. */
  nestedChildren: number
  groupNext: boolean
  latencyMs: number
  /** On top of `latencyMs`, for each request under way at the site, the asking one included. */
  latencyPerRequestMs: number
  /** Requests that arrive this soon after a pause was asked for had left before the asking was read. */
  pauseGraceMs: number
  /** Search does not know changes after this number; null: the index is up to date. */
  searchKnows: number | null
  rateLimit: RateLimit | null
  /** Addresses in rendered bodies carry scheme and host, as views do at times. */
  absoluteViews: boolean
  /** Views say which macro made which part; `export_view` never does. */
  macroWrappers: boolean
  /** What Jira answers for the issues that pages name, by key. */
  jiraSummaries: Record<string, string>
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
  /** What a download without credentials meets: the way to the login page, or a refusal. */
  dcDownloadUnauthorized: 302 | 401
}

/** A token bucket per site, and how its refusals are worded. */
export interface RateLimit {
  capacity: number
  perSecond: number
  /** `seconds` unless told. `none`: the gateway's way, with `X-Failure-Category`. */
  retryAfter?: 'seconds' | 'date' | 'none'
  reason?: RateReason
  /** Whether `X-RateLimit-Reset` has seconds; without them unless told. */
  resetSeconds?: boolean
  /** The structured fields of the coming standard, by their names or with `Beta-` before them. */
  structured?: 'none' | 'plain' | 'beta'
}

export type RateReason =
  | 'confluence-burst-based'
  | 'confluence-quota-tenant-based'
  | 'confluence-quota-global-based'

export const defaultSettings: Settings = {
  roleMode: 'ROLES_TRANSITION',
  removedV1: 'gone',
  cloudVisitors: true,
  classSpelling: 'all-licensed-users',
  classType: 'access-class',
  classMembers: {},
  v1AccountStatus: false,
  closedUsers: 'shown',
  folderRestrictionsHidden: false,
  checkOnFolder: 'missing',
  missingScope: 401,
  nestedLimit: 100,
  nestedChildren: 25,
  groupNext: false,
  latencyMs: 0,
  latencyPerRequestMs: 0,
  pauseGraceMs: 25,
  searchKnows: null,
  rateLimit: null,
  absoluteViews: false,
  macroWrappers: true,
  jiraSummaries: {},
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
  dcDownloadUnauthorized: 302,
}
