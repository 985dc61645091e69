const verbs: Record<string, string> = {
  get: 'get',
  put: 'update',
  patch: 'update',
  delete: 'delete',
  post: 'create',
}
/** Collections inside another resource; other segments after an id are actions or parts. */
const nested = new Set(['members', 'invitations', 'channels', 'keys'])

/** One word for settings and for rows of the table. */
const irregular: Record<string, string> = {
  'get /identity': 'getIdentitySettings',
  'put /identity': 'updateIdentitySettings',
  'delete /identity': 'deleteIdentitySettings',
  'post /identity/test': 'testIdentitySettings',
  'put /identities': 'importIdentities',
  'get /identities.csv': 'exportIdentities',
  'get /identities/unmatched': 'listUnmatchedIdentities',
  'get /identities/own': 'listOwnIdentities',
  'post /identities/fill': 'fillIdentities',
  'post /identities/link': 'linkIdentity',
  'delete /identities/link': 'unlinkIdentity',
  'delete /identities/{id}': 'deleteIdentity',
  'post /samples/try': 'trySample',
  'get /documents': 'getDocument',
  'get /documents/locate': 'locateDocument',
}

/** `POST /api/v1/workflows/{id}/run` → `runWorkflow`. */
export function operationId(method: string, path: string): string {
  if (path.startsWith('/general/')) return 'partitionFiles'
  const known = irregular[`${method} ${path.replace(/^\/api\/v1\//, '/')}`]
  if (known) return known
  const segments = path
    .replace(/^\/api\/v1\//, '/')
    .split('/')
    .filter(Boolean)
  const names = segments.filter((segment) => !isParameter(segment))
  const last = names.at(-1) ?? ''
  const prefix = names
    .slice(0, -1)
    .map((name) => toPascalCase(singular(name)))
    .join('')
  const verb = verbs[method] ?? method
  if (isParameter(segments.at(-1) ?? '')) return verb + prefix + toPascalCase(singular(last))
  if (names.length === 1 || nested.has(last)) {
    if (method === 'get' && singular(last) !== last) return `list${prefix}${toPascalCase(last)}`
    return verb + prefix + toPascalCase(singular(last))
  }
  const isAction = method === 'post' && isParameter(segments.at(-2) ?? '')
  if (!isAction) return verb + prefix + toPascalCase(last)
  const [action = '', ...rest] = last === 'connection-check' ? ['check', 'connection'] : last.split('-')
  return action + prefix + toPascalCase(rest.join('-'))
}

/** `password-resets` → `password-reset`. */
export function singular(noun: string): string {
  return noun.endsWith('ies') ? noun.replace(/ies$/, 'y') : noun.replace(/s$/, '')
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{')
}

function toPascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_.])([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
