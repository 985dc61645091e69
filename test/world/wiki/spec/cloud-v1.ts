import {
  commas,
  flag,
  known,
  type Operation,
  oneOf,
  operation,
  type Parameter,
  repeated,
  required,
  text,
  whole,
} from './operation.ts'

const base = '/wiki/rest/api'
const range = { start: whole(), limit: whole() }
const userExpand = commas(oneOf('operations', 'personalSpace', 'isExternalCollaborator'))
const listExpand = commas(oneOf('restrictions.user', 'restrictions.group', 'content'))
const permissionType = oneOf('all', 'externalCollaborator', 'none')

const get = (path: string, parameters: Record<string, Parameter> = {}): Operation =>
  operation(`GET ${base}${path}`, parameters)

/** What remains of v1 on Cloud, in July 2026. */
export const cloudV1Operations: readonly Operation[] = [
  get('/content/search', {
    cql: required(text),
    cqlcontext: text,
    // The document names no expansions; the wiki expands those of content.
    expand: commas(text),
    cursor: text,
    limit: whole(),
    next: known('The next links of the wiki itself carry it.', flag),
  }),
  get('/search', {
    cql: required(text),
    cqlcontext: text,
    cursor: text,
    next: flag,
    prev: flag,
    ...range,
    includeArchivedSpaces: flag,
    excludeCurrentSpaces: flag,
    excerpt: oneOf('highlight', 'indexed', 'none', 'highlight_unescaped', 'indexed_unescaped'),
    sitePermissionTypeFilter: permissionType,
    _: whole(),
    expand: commas(text),
  }),
  get('/content/{id}/restriction', {
    expand: commas(
      oneOf(
        'restrictions.user',
        'read.restrictions.user',
        'update.restrictions.user',
        'restrictions.group',
        'read.restrictions.group',
        'update.restrictions.group',
        'content',
      ),
    ),
    ...range,
  }),
  get('/content/{id}/restriction/byOperation', { expand: listExpand }),
  get('/content/{id}/restriction/byOperation/{operationKey}', { expand: listExpand, ...range }),
  operation(`POST ${base}/content/{id}/permission/check`),
  get('/content/{id}/child/attachment/{attachmentId}/download', {
    version: whole(),
    status: repeated(text),
  }),
  get('/group', { ...range, accessType: oneOf('user', 'admin', 'site-admin') }),
  get('/group/by-id', { id: required(text) }),
  get('/group/{groupId}/membersByGroupId', {
    start: whole(),
    limit: whole(0, 200),
    shouldReturnTotalSize: flag,
    expand: userExpand,
  }),
  get('/user', { accountId: required(text), expand: userExpand }),
  get('/user/bulk', {
    accountId: required(known('It is declared as one text, but described as a list.', repeated(text))),
    expand: userExpand,
  }),
  get('/user/current', { expand: userExpand }),
  get('/user/memberof', { accountId: required(text), ...range }),
  get('/search/user', {
    cql: required(text),
    ...range,
    expand: commas(text),
    sitePermissionTypeFilter: permissionType,
  }),
  get('/settings/systemInfo'),
  operation(
    'GET /_edge/tenant_info',
    {},
    'The site publishes its cloud id there, which the gateway requires.',
  ),
  operation('GET /rest/api/user/current', {}, 'A client finds out whether the address is a Data Center.'),
  operation('GET /oauth/token/accessible-resources', {}, 'Part of the sign-in of apps, not of the product.'),
]
