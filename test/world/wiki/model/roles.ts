import type { Space, SpacePermission, World } from './model.ts'

/**
 * Space permissions are stored as rows. In role mode, each principal gets the role whose permissions equal
 * its rows.
 */
export interface SpaceRole {
  id: string
  type: 'SYSTEM' | 'CUSTOM'
  name: string
  description: string
  spacePermissions: string[]
}

type Principal = SpacePermission['principal']

const viewer = ['read/space']
const collaborator = [
  ...viewer,
  'create/page',
  'create/blogpost',
  'create/comment',
  'create/attachment',
  'delete/space',
]
const manager = [
  ...collaborator,
  'delete/page',
  'delete/blogpost',
  'delete/comment',
  'delete/attachment',
  'administer/space',
  'export/space',
  'restrict_content/space',
]

export const systemRoles: readonly SpaceRole[] = [
  { id: 'r-viewer', type: 'SYSTEM', name: 'Viewer', description: 'Can view', spacePermissions: viewer },
  {
    id: 'r-collaborator',
    type: 'SYSTEM',
    name: 'Collaborator',
    description: 'Can edit',
    spacePermissions: collaborator,
  },
  { id: 'r-manager', type: 'SYSTEM', name: 'Manager', description: 'Can manage', spacePermissions: manager },
]

/** The rows a role gives a principal. */
export function grant(
  type: Principal['type'],
  id: string,
  role: 'viewer' | 'collaborator' | 'manager',
): SpacePermission[] {
  const { spacePermissions } = systemRoles.find((each) => each.id === `r-${role}`) as SpaceRole
  return spacePermissions.map((text) => ({ principal: { type, id }, operation: operationOf(text) }))
}

export const isGovernedByRoles = (world: World, space: Space): boolean =>
  world.settings.roleMode === 'ROLES' || (world.settings.roleMode === 'ROLES_TRANSITION' && space.usesRoles)

export interface Assignment {
  principal: { principalType: 'USER' | 'GROUP' | 'ACCESS_CLASS'; principalId: string }
  roleId: string
}

export function assignmentsOf(space: Space): Assignment[] {
  return [...operationsByPrincipal(space)].map(([, { principal, operations }]) => ({
    principal: { principalType: principalTypes[principal.type], principalId: principal.id },
    roleId: roleFor(operations).id,
  }))
}

export function rolesOf(world: World): SpaceRole[] {
  const found = new Map<string, SpaceRole>(systemRoles.map((role) => [role.id, role]))
  for (const space of world.spaces.values()) {
    for (const { operations } of operationsByPrincipal(space).values())
      found.set(roleFor(operations).id, roleFor(operations))
  }
  return [...found.values()]
}

const principalTypes = { user: 'USER', group: 'GROUP', 'access-class': 'ACCESS_CLASS' } as const

function operationsByPrincipal(space: Space): Map<string, { principal: Principal; operations: string[] }> {
  const found = new Map<string, { principal: Principal; operations: string[] }>()
  for (const { principal, operation } of space.permissions) {
    const key = `${principal.type}:${principal.id}`
    const entry = found.get(key) ?? { principal, operations: [] }
    entry.operations.push(`${operation.key}/${operation.targetType}`)
    found.set(key, entry)
  }
  return found
}

function roleFor(operations: string[]): SpaceRole {
  const wanted = [...new Set(operations)].sort().join(' ')
  const known = systemRoles.find((role) => [...role.spacePermissions].sort().join(' ') === wanted)
  if (known !== undefined) return known
  const id = `r-custom-${wanted.replaceAll(/[^a-z]+/g, '-')}`
  return { id, type: 'CUSTOM', name: 'Custom', description: '', spacePermissions: wanted.split(' ') }
}

function operationOf(text: string): SpacePermission['operation'] {
  const [key = '', targetType = ''] = text.split('/')
  return { key, targetType }
}
