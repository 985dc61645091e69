import {
  either,
  flag,
  type Operation,
  oneOf,
  operation,
  type Parameter,
  repeated,
  text,
  whole,
} from './operation.ts'

const base = '/wiki/api/v2'
const limit = whole(1, 250)
const page = { cursor: text, limit }

/** Each name also with a minus, for the opposite order. */
const sortBy = (...names: string[]): Parameter => oneOf(...names.flatMap((name) => [name, `-${name}`]))
const dates = ['created-date', 'modified-date']
const listFormat = oneOf('storage', 'atlas_doc_format')
const singleFormat = oneOf(
  'storage',
  'atlas_doc_format',
  'view',
  'export_view',
  'anonymous_export_view',
  'styled_view',
  'editor',
)
const included = (...parts: string[]): Record<string, Parameter> =>
  Object.fromEntries(parts.map((part) => [`include-${part}`, flag]))
const pageStatuses = repeated(oneOf('current', 'archived', 'deleted', 'trashed'))
const postStatuses = repeated(oneOf('current', 'deleted', 'trashed'))
const principal = { 'principal-id': text, 'principal-type': oneOf('USER', 'GROUP', 'ACCESS_CLASS') }

const get = (path: string, parameters: Record<string, Parameter> = {}): Operation =>
  operation(`GET ${base}${path}`, parameters)

const spaceOperations: readonly Operation[] = [
  get('/spaces', {
    ids: either(whole(), 250),
    keys: either(text, 250),
    type: oneOf(
      'global',
      'collaboration',
      'knowledge_base',
      'personal',
      'system',
      'onboarding',
      'xflow_sample_space',
    ),
    status: oneOf('current', 'archived'),
    labels: either(text),
    'favorited-by': text,
    'not-favorited-by': text,
    sort: sortBy('id', 'key', 'name'),
    'description-format': oneOf('plain', 'view'),
    'include-icon': flag,
    ...page,
  }),
  get('/spaces/{id}', {
    'description-format': oneOf('plain', 'view'),
    ...included('icon', 'operations', 'properties', 'permissions', 'role-assignments', 'labels'),
  }),
  get('/spaces/{id}/pages', {
    depth: oneOf('all', 'root'),
    sort: sortBy('id', ...dates, 'title'),
    status: pageStatuses,
    title: text,
    'body-format': listFormat,
    ...page,
  }),
  get('/spaces/{id}/blogposts', {
    sort: sortBy('id', ...dates),
    status: postStatuses,
    title: text,
    'body-format': listFormat,
    ...page,
  }),
  get('/spaces/{id}/permissions', page),
  get('/spaces/{id}/role-assignments', { 'role-id': text, 'role-type': text, ...principal, ...page }),
  get('/space-roles', { 'space-id': text, 'role-type': text, ...principal, ...page }),
  get('/space-role-mode'),
  get('/space-permissions', page),
]

const oneNode = (statuses: string[], ...parts: string[]): Record<string, Parameter> => ({
  'body-format': singleFormat,
  'get-draft': flag,
  status: repeated(oneOf(...statuses)),
  version: whole(),
  ...included(
    'labels',
    'properties',
    'operations',
    'likes',
    'versions',
    'version',
    'favorited-by-current-user-status',
    'webresources',
    'collaborators',
    ...parts,
  ),
})
const nodeStatuses = {
  page: ['current', 'archived', 'trashed', 'deleted', 'historical', 'draft'],
  blogpost: ['current', 'trashed', 'deleted', 'historical', 'draft'],
}

const listedFiles = {
  sort: sortBy(...dates),
  status: repeated(oneOf('current', 'archived', 'trashed')),
  mediaType: text,
  filename: text,
  ...page,
}

const listedComments = { 'body-format': listFormat, sort: sortBy(...dates), ...page }

const nodeOperations: readonly Operation[] = [
  get('/pages', {
    id: either(whole(), 250),
    'space-id': either(whole(), 100),
    sort: sortBy('id', ...dates, 'title'),
    status: pageStatuses,
    title: text,
    'body-format': listFormat,
    subtype: oneOf('live', 'page'),
    ...page,
  }),
  get('/pages/{id}', oneNode(nodeStatuses.page, 'direct-children')),
  get('/blogposts', {
    id: either(whole(), 250),
    'space-id': either(whole(), 100),
    sort: sortBy('id', ...dates),
    status: postStatuses,
    title: text,
    'body-format': listFormat,
    ...page,
  }),
  get('/blogposts/{id}', oneNode(nodeStatuses.blogpost)),
  ...(['page', 'blogpost'] as const).flatMap((kind) => [
    get(`/${kind}s/{id}/versions`, { 'body-format': listFormat, sort: sortBy('modified-date'), ...page }),
    get(`/${kind}s/{id}/labels`, {
      prefix: oneOf('my', 'team', 'global', 'system'),
      sort: sortBy('created-date', 'id', 'name'),
      ...page,
    }),
    get(`/${kind}s/{id}/attachments`, listedFiles),
    get(`/${kind}s/{id}/footer-comments`, {
      ...listedComments,
      status: repeated(oneOf(...nodeStatuses[kind])),
    }),
    get(`/${kind}s/{id}/inline-comments`, {
      ...listedComments,
      status: repeated(oneOf(...nodeStatuses[kind])),
      'resolution-status': repeated(oneOf('resolved', 'open', 'dangling', 'reopened')),
    }),
  ]),
  // The simulated wiki has no smart links in the tree and answers 404.
  ...['folder', 'whiteboard', 'database', 'embed'].map((kind) =>
    get(`/${kind}s/{id}`, included('collaborators', 'direct-children', 'operations', 'properties')),
  ),
  ...['page', 'folder', 'whiteboard', 'database', 'embed'].flatMap((kind) => [
    get(`/${kind}s/{id}/ancestors`, { limit }),
    get(`/${kind}s/{id}/descendants`, { depth: whole(1, 10), ...page }),
    get(`/${kind}s/{id}/direct-children`, {
      sort: sortBy('id', ...dates, 'child-position', 'title'),
      ...page,
    }),
  ]),
  get('/pages/{id}/children', { sort: sortBy('id', ...dates, 'child-position'), ...page }),
]

/** v2 on Cloud, in July 2026. */
export const cloudV2Operations: readonly Operation[] = [
  ...spaceOperations,
  ...nodeOperations,
  get('/attachments', listedFiles),
  get('/attachments/{id}', {
    version: whole(),
    ...included('labels', 'properties', 'operations', 'versions', 'version', 'collaborators'),
  }),
  ...['footer', 'inline'].flatMap((location) => [
    get(`/${location}-comments`, listedComments),
    get(`/${location}-comments/{id}`, {
      'body-format': singleFormat,
      version: whole(),
      ...included('properties', 'operations', 'likes', 'versions', 'version'),
    }),
    get(`/${location}-comments/{id}/children`, listedComments),
  ]),
  operation(`POST ${base}/users-bulk`),
  operation(`POST ${base}/admin-key`),
]
