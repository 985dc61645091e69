import {
  commas,
  flag,
  type Operation,
  oneOf,
  operation,
  type Parameter,
  repeated,
  text,
  whole,
} from './operation.ts'

const base = '/rest/api'
const range = { start: whole(), limit: whole() }
// No document names the expansions; the wiki expands those of content and people.
const expand = commas(text)

const get = (path: string, parameters: Record<string, Parameter> = {}): Operation =>
  operation(`GET ${base}${path}`, parameters)

const fileLink = { version: whole(), modificationDate: whole(), cacheVersion: whole(), api: text }
const fileReason = 'The download links of attachments lead there.'
const probeReason = 'A client finds out whether the address is a Cloud site.'
const rpcReason = 'The remote API, which has the permissions of a space before 9.1.'

/** Data Center 10.0. Paths are relative to the context path. */
export const dataCenterOperations: readonly Operation[] = [
  get('/content', {
    type: oneOf('page', 'blogpost'),
    spaceKey: text,
    title: text,
    status: repeated(text),
    postingDay: text,
    ids: repeated(text),
    expand,
    ...range,
  }),
  get('/content/scan', {
    type: oneOf('page', 'blogpost', 'comment'),
    spaceKey: text,
    status: repeated(text),
    expand,
    limit: whole(),
    cursor: text,
  }),
  get('/content/search', { cql: text, cqlcontext: text, expand, ...range }),
  get('/search', {
    cql: text,
    cqlcontext: text,
    excerpt: oneOf('indexed', 'highlight', 'none'),
    expand,
    ...range,
    includeArchivedSpaces: flag,
  }),
  get('/content/{id}', { status: repeated(text), version: whole(), expand }),
  get('/content/{id}/child/attachment', { filename: text, mediaType: text, expand, ...range }),
  get('/content/{id}/child/comment', {
    location: repeated(oneOf('inline', 'footer', 'resolved')),
    depth: oneOf('', 'all'),
    parentVersion: whole(),
    expand,
    ...range,
  }),
  get('/content/{id}/child/{type}', { parentVersion: whole(), expand, ...range }),
  get('/content/{id}/label', { prefix: repeated(text), ...range }),
  get('/content/{id}/restriction/byOperation', { expand }),
  get('/content/{id}/restriction/byOperation/{operationKey}', { expand, ...range }),
  get('/content/{id}/restriction/relevantViewRestrictions', { expand, start: whole(), limit: whole(0, 50) }),
  get('/space', {
    spaceKey: repeated(text),
    spaceId: repeated(text),
    type: oneOf('global', 'personal'),
    status: oneOf('current', 'archived'),
    label: repeated(text),
    contentLabel: repeated(text),
    favourite: flag,
    hasRetentionPolicy: flag,
    expand,
    ...range,
  }),
  get('/space/{spaceKey}', { expand }),
  get('/space/{spaceKey}/permissions'),
  get('/space/{spaceKey}/permissions/anonymous'),
  get('/space/{spaceKey}/permissions/user/{userKey}'),
  get('/space/{spaceKey}/permissions/group/{groupName}'),
  get('/permissions'),
  get('/permissions/anonymous'),
  get('/permissions/unlicensed'),
  get('/user', { key: text, username: text, expand }),
  get('/user/current', { expand }),
  get('/user/list', { expand, ...range }),
  get('/user/memberof', { key: text, username: text, expand, ...range }),
  get('/admin/users/list/active', { expand, ...range }),
  get('/group', { expand, ...range }),
  get('/group/{groupName}', { expand }),
  get('/group/{groupName}/member', { expand, ...range }),
  get('/server-information'),
  operation('GET /_edge/tenant_info', {}, probeReason),
  operation('GET /wiki/api/v2/spaces', { limit: whole() }, probeReason),
  operation('GET /rest/applinks/1.0/manifest', {}, 'The version of a wiki before server-information.'),
  operation('POST /rpc/json-rpc/confluenceservice-v2', {}, rpcReason),
  operation('POST /rpc/json-rpc/confluenceservice-v2/{method}', {}, rpcReason),
  operation('GET /download/attachments/{id}/{name}', fileLink, fileReason),
  operation('GET /download/thumbnails/{id}/{name}', fileLink, fileReason),
  operation(
    'GET /login.action',
    { os_destination: text, permissionViolation: text },
    'Downloads redirect visitors there.',
  ),
]
