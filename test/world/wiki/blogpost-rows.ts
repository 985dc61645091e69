import type { Space, SpacePermission, World } from './model/model.ts'
import { createRandom, type Random } from './model/random.ts'

/** Makes the permissions for blog posts differ from those for pages. Has its own random stream. */
export function varyBlogpostRows(world: World, seed: number): void {
  const random = createRandom(seed ^ 0xb109)
  for (const space of world.spaces.values()) {
    // In spaces with roles, every principal keeps a role of the system.
    if (space.type === 'global' && !space.usesRoles) varySpace(space, random)
  }
}

function varySpace(space: Space, random: Random): void {
  const principals = new Map(space.permissions.map(({ principal }) => [JSON.stringify(principal), principal]))
  for (const principal of principals.values()) {
    if (principal.id === space.authorId) continue
    if (random.chance(0.2)) toggle(space, { principal, operation: { key: 'create', targetType: 'blogpost' } })
    if (random.chance(0.2)) toggle(space, { principal, operation: { key: 'delete', targetType: 'blogpost' } })
  }
}

function toggle(space: Space, row: SpacePermission): void {
  const text = JSON.stringify(row)
  const rest = space.permissions.filter((each) => JSON.stringify(each) !== text)
  space.permissions = rest.length === space.permissions.length ? [...rest, row] : rest
}
