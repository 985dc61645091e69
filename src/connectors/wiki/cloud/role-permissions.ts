import { undefinedUnlessFatal } from '../access/directory.ts'
import type { RolePermissions } from '../client.ts'
import * as wire from '../responses.ts'
import { listReaders, PAGE_SIZE } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'

/**
 * What the permissions of roles are called, as ids or as names. Only the id `VIEW_CONTENT` and some names are
 * documented. A permission with another name grants nothing.
 */
const OPERATIONS: Record<string, string[]> = {
  'read/space': ['view content', 'view space'],
  'create/page': ['create content', 'create page', 'create edit page', 'add page'],
  'update/page': ['edit content', 'edit page'],
  'delete/page': ['delete content', 'delete page'],
  'delete/space': ['delete own content'],
  'create/blogpost': ['create blog', 'create blog post', 'create edit blog post', 'add blog post'],
  'update/blogpost': ['edit blog', 'edit blog post'],
  'delete/blogpost': ['delete blog', 'delete blog post'],
}
const BY_NAME = new Map(
  Object.entries(OPERATIONS).flatMap(([key, names]) => names.map((name) => [name, key])),
)

/** Some sites use the operations of single permissions as ids. */
const OPERATION = /^[a-z_]+\/[a-z]+$/

/** The operations of every role. */
export async function readRolePermissions(
  transport: WikiTransport,
  signal: AbortSignal,
): Promise<RolePermissions> {
  const { all } = listReaders(transport)
  const query = { limit: PAGE_SIZE }
  const list = { doing: 'reading the space roles', path: '/api/v2/space-roles', query }
  const roles = await all(list, wire.roleResponse, signal)
  const isOpaque = (id: string) => !OPERATION.test(id)
  const names = roles.some(({ spacePermissions }) => spacePermissions?.some(isOpaque))
    ? await permissionNames()
    : new Map<string, string>()
  const operationsOf = (id: string) => operationNamed(id) ?? operationNamed(names.get(id) ?? '') ?? []
  return new Map(
    roles.map(({ id, spacePermissions }) => [id, (spacePermissions ?? []).flatMap(operationsOf)]),
  )

  /** The names of the permissions by id; without them the ids have to do. */
  async function permissionNames(): Promise<Map<string, string>> {
    const request = { doing: 'reading the permissions of roles', path: '/api/v2/space-permissions', query }
    const rows = await all(request, wire.rolePermissionResponse, signal).catch(undefinedUnlessFatal)
    return new Map(rows?.map(({ id, displayName }) => [id, displayName ?? '']))
  }
}

function operationNamed(text: string): string | undefined {
  return OPERATION.test(text) ? text : BY_NAME.get(plainWords(text))
}

/** "Delete anyone’s content" and `DELETE_CONTENT` are "delete content". */
function plainWords(text: string): string {
  const words =
    text
      .toLowerCase()
      .replaceAll(/[’']s\b/g, '')
      .match(/[a-z]+/g) ?? []
  return words
    .filter((word) => !['the', 'a', 'any', 'anyone', 'and'].includes(word))
    .map((word) => word.replace(/(page|post|blog)s$/, '$1'))
    .join(' ')
}
