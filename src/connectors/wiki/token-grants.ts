import { isGateway, type Site } from './transport/site.ts'

/** What makes an operation necessary: a setting, or content of the wiki. */
type Need =
  | 'always'
  | 'files and images'
  | 'blog posts'
  | 'folders, whiteboards or databases'
  | 'searching as a person'

/** The scopes of a token that one API operation needs. v2 documents granular scopes only. */
export type TokenGrant = {
  /** Completes "to …". */
  purpose: string
  paths: string[]
  granular: string[]
  classic: string | null
  need: Need
}

export const TOKEN_GRANTS: TokenGrant[] = [
  grant('list spaces and read their permissions', {
    paths: ['/api/v2/spaces', '/api/v2/spaces/{id}/permissions'],
    granular: ['read:space'],
  }),
  grant('read space roles', {
    paths: ['/api/v2/space-roles', '/api/v2/space-permissions', '/api/v2/spaces/{id}/role-assignments'],
    granular: ['read:space.permission'],
  }),
  grant('read how spaces grant permissions', {
    paths: ['/api/v2/space-role-mode'],
    granular: ['read:configuration'],
  }),
  grant('list and read pages and their labels', {
    paths: ['/api/v2/spaces/{id}/pages', '/api/v2/pages', '/api/v2/pages/{id}', '/api/v2/pages/{id}/labels'],
    granular: ['read:page'],
  }),
  grant('search for pages and comments', {
    paths: ['/rest/api/content/search', '/rest/api/search'],
    granular: ['read:content-details'],
    classic: 'search:confluence',
  }),
  grant('read restrictions', {
    paths: [
      '/rest/api/content/{id}/restriction/byOperation',
      '/rest/api/content/{id}/restriction/byOperation/{op}',
    ],
    granular: ['read:content-details'],
    classic: 'read:confluence-content.all',
  }),
  grant('look up accounts', {
    paths: ['/rest/api/user', '/rest/api/user/current', '/rest/api/user/bulk'],
    granular: ['read:content-details'],
    classic: 'read:confluence-user',
  }),
  grant('read the status of accounts', { paths: ['/api/v2/users-bulk'], granular: ['read:user'] }),
  grant('list groups', {
    paths: ['/rest/api/group', '/rest/api/group/by-id'],
    granular: ['read:group'],
    classic: 'read:confluence-groups',
  }),
  grant('read group members', {
    paths: ['/rest/api/group/{id}/membersByGroupId'],
    granular: ['read:group', 'read:user'],
    classic: 'read:confluence-groups',
  }),
  grant('list and look up blog posts', {
    paths: [
      '/api/v2/spaces/{id}/blogposts',
      '/api/v2/blogposts',
      '/api/v2/blogposts/{id}',
      '/api/v2/blogposts/{id}/labels',
    ],
    granular: ['read:page'],
    need: 'blog posts',
  }),
  grant('list files', {
    paths: [
      '/api/v2/pages/{id}/attachments',
      '/api/v2/blogposts/{id}/attachments',
      '/api/v2/attachments/{id}',
    ],
    granular: ['read:attachment'],
    need: 'files and images',
  }),
  grant('download files', {
    paths: ['/rest/api/content/{id}/child/attachment/{file}/download'],
    granular: ['read:attachment'],
    classic: 'readonly:content.attachment',
    need: 'files and images',
  }),
  ...['folder', 'whiteboard', 'database', 'embed'].map((kind) =>
    grant(`look up ${kind}s above pages`, {
      paths: [`/api/v2/${kind}s/{id}`],
      granular: [`read:${kind}`],
      need: 'folders, whiteboards or databases' as const,
    }),
  ),
  grant('check who may read pages below folders', {
    paths: ['/rest/api/content/{id}/permission/check'],
    granular: ['read:content.permission'],
    classic: 'read:confluence-content.permission',
    need: 'folders, whiteboards or databases',
  }),
  grant('read the groups of a person', {
    paths: ['/rest/api/user/memberof'],
    granular: ['read:user', 'read:group'],
    classic: 'read:confluence-user',
    need: 'searching as a person',
  }),
  grant('look for people by name', {
    paths: ['/rest/api/search/user'],
    granular: ['read:content-details'],
    need: 'searching as a person',
  }),
]

type GrantInput = Pick<TokenGrant, 'paths' | 'granular'> & Partial<TokenGrant>

/** Granular scopes end with the product; classic ones contain it. */
function grant(
  purpose: string,
  { paths, granular, classic = null, need = 'always' }: GrantInput,
): TokenGrant {
  const named = classic && !classic.includes('confluence') ? `${classic}:confluence` : classic
  return { purpose, paths, granular: granular.map((name) => `${name}:confluence`), classic: named, need }
}

const PATTERNS = TOKEN_GRANTS.flatMap((row) =>
  row.paths.map((path) => ({ row, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) })),
)

/** What an API path needs; `path` starts after the wiki's address. */
export function grantOfPath(path: string): TokenGrant | null {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.row ?? null
}

/** What a failed request needs; null for credentials without grants. */
export function grantOfRequest(url: URL, site: Site): TokenGrant | null {
  // Scoped tokens work only at the gateway.
  if (!isGateway(site) || !url.href.startsWith(`${site.base}/`)) return null
  return grantOfPath(url.href.slice(site.base.length).split('?', 1)[0] ?? '')
}

export function describeGrant({ purpose, granular, classic }: TokenGrant): string {
  const names = granular.join(' and ')
  return `${names}${classic ? ` (or the classic ${classic})` : ''} to ${purpose}`
}

/** The table in the documentation. */
export function tokenGrantsTable(): string {
  const rows = TOKEN_GRANTS.map(({ purpose, granular, classic, need }) =>
    [
      `${purpose[0]?.toUpperCase()}${purpose.slice(1)}`,
      code(granular),
      classic ? code([classic]) : '–',
      need,
    ].join(' | '),
  )
  return [
    '| Operation | Granular | Classic | Needed |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}

function code(names: string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
