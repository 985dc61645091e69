/** Behaviour of the simulated wiki, changeable at runtime with `control.set`. */
export type RoleMode = 'PRE_ROLES' | 'ROLES_TRANSITION' | 'ROLES'

export interface Settings {
  roleMode: RoleMode
  /** `served`: `GET /space/{key}` still works; other removed endpoints do not. */
  removedV1: 'gone' | 'missing' | 'served'
  /** Whether the site admits visitors; their space rows exist either way. */
  cloudVisitors: boolean
  /** Spelling of access classes in `/spaces/{id}/permissions`. */
  classSpelling: 'all-licensed-users' | 'ALL_LICENSED_USERS'
  classType: 'access-class' | 'ACCESS_CLASS'
  /** Ids of the permissions of roles: opaque, or like the operations of rows. */
  roleSpelling: 'VIEW_CONTENT' | 'read/space'
  /** Rows of a space with roles name what each role grants. */
  roleRows: boolean
  /** Members of classes that are not built in, by class name. */
  classMembers: Record<string, string[]>
  /** v1 users include the undocumented `accountStatus`. */
  v1AccountStatus: boolean
  /** Response of v1 `GET /user` for a closed account. */
  closedUsers: 'shown' | 'missing'
  /** CONFCLOUD-82920: restrictions of folders, whiteboards and databases appear empty. */
  folderRestrictionsHidden: boolean
  /** Response of `permission/check` for a folder; the real behaviour is unknown. */
  checkOnFolder: 'works' | 'missing'
  /** Gateway status if the token lacks the scope. */
  missingScope: 401 | 403 | 404
  /** Whether parameters that no document declares get 400; a simulator for tools of others serves them. */
  undeclared: 'refused' | 'served'
  nestedLimit: number
  /** How many attachments or comments an expansion contains before it links to more. */
  nestedChildren: number
  groupNext: boolean
  latencyMs: number
  /** Added to `latencyMs` for each request in progress, this one included. */
  latencyPerRequestMs: number
  /** Requests this soon after a 429 were sent before the client saw it. */
  pauseGraceMs: number
  /** Search ignores later changes; null: the index is up to date. */
  searchKnows: number | null
  rateLimit: RateLimit | null
  /** Rendered bodies contain absolute addresses, as views sometimes do. */
  absoluteViews: boolean
  /** Views name the macro of each part; `export_view` never does. */
  macroWrappers: boolean
  /** Jira summaries by issue key. */
  jiraSummaries: Record<string, string>
  dcVersion: string
  dcContext: string
  dcNextWithContext: boolean
  dcUnderCount: boolean
  dcPhantomNext: boolean
  /** The plain listing guarantees no order; `title` differs from id order. */
  dcOrder: 'id' | 'title'
  dcJsonRpc: 'on' | 'off' | 'websudo'
  /** Whether visitors are admitted; their space permissions exist either way. */
  dcVisitors: boolean
  /** Whether people without a licence are admitted to what every authenticated person sees. */
  dcUnlicensed: boolean
  dcLoginPage: boolean
  dcCaptcha: boolean
  /** Response to a download without credentials: redirect to login, or 401. */
  dcDownloadUnauthorized: 302 | 401
}

/** A token bucket per site, and the form of its 429. */
export interface RateLimit {
  capacity: number
  perSecond: number
  /** `seconds` by default. `none`: as the gateway, with `X-Failure-Category`. */
  retryAfter?: 'seconds' | 'date' | 'none'
  reason?: RateReason
  /** Whether `X-RateLimit-Reset` includes seconds; not by default. */
  resetSeconds?: boolean
  /** Structured fields of the draft standard, plain or with a `Beta-` prefix. */
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
  roleSpelling: 'VIEW_CONTENT',
  roleRows: true,
  classMembers: {},
  v1AccountStatus: false,
  closedUsers: 'shown',
  folderRestrictionsHidden: false,
  checkOnFolder: 'missing',
  missingScope: 401,
  undeclared: 'refused',
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
  dcUnlicensed: false,
  dcLoginPage: false,
  dcCaptcha: false,
  dcDownloadUnauthorized: 302,
}
