import type { World } from './model.ts'

/** A permission of roles. Its id is opaque and unlike the operations of rows; only `VIEW_CONTENT` is documented. */
export interface RolePermission {
  id: string
  displayName: string
  description: string
  requiredPermissionIds: string[]
}

/** Operations of rows by the id of the role permission that grants them. */
const table: readonly [operation: string, id: string, displayName: string][] = [
  ['read/space', 'VIEW_CONTENT', 'View content'],
  ['create/page', 'CREATE_AND_EDIT_PAGES', 'Create and edit pages'],
  ['create/blogpost', 'CREATE_AND_EDIT_BLOG_POSTS', 'Create and edit blog posts'],
  ['create/comment', 'ADD_COMMENTS', 'Comment'],
  ['create/attachment', 'ADD_ATTACHMENTS', 'Attach files'],
  ['delete/space', 'DELETE_OWN_CONTENT', 'Delete own content'],
  ['delete/page', 'DELETE_PAGES', 'Delete pages'],
  ['delete/blogpost', 'DELETE_BLOG_POSTS', 'Delete blog posts'],
  ['delete/comment', 'DELETE_COMMENTS', 'Delete comments'],
  ['delete/attachment', 'DELETE_ATTACHMENTS', 'Delete files'],
  ['administer/space', 'MANAGE_SPACE', 'Manage the space'],
  ['export/space', 'EXPORT_SPACE', 'Export the space'],
  ['restrict_content/space', 'RESTRICT_CONTENT', 'Restrict content'],
  ['update/page', 'EDIT_PAGES', 'Edit pages'],
  ['update/blogpost', 'EDIT_BLOG_POSTS', 'Edit blog posts'],
]

const byOperation = new Map(table.map(([operation, id]) => [operation, id]))

/** As the setting spells it; an operation outside the table keeps its own name. */
export const rolePermissionId = ({ settings }: World, operation: string): string =>
  settings.roleSpelling === 'read/space' ? operation : (byOperation.get(operation) ?? operation)

export function rolePermissions(world: World): RolePermission[] {
  const view = rolePermissionId(world, 'read/space')
  return table.map(([operation, , displayName]) => {
    const id = rolePermissionId(world, operation)
    const description = `${displayName} in the space.`
    return { id, displayName, description, requiredPermissionIds: id === view ? [] : [view] }
  })
}
