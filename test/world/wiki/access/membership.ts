import type { RestrictionList, SiteName, WikiPerson, World } from '../model/model.ts'

/** Which lists, groups and access classes count for an account. */

/** Classes with a row on Data Center too, as the group `confluence-users`. */
export const knownClasses = new Set(['all-licensed-users', 'authenticated-users', 'all-product-admins'])

/** Deactivated and closed accounts see nothing, not even as visitors; unknown ids are visitors. */
export function isDisabled(world: World, accountId: string): boolean {
  const person = world.people.get(accountId)
  return person !== undefined && (!person.active || person.closed)
}

/** Without access to the product, neither own grants nor groups count. */
export const mayUseProduct = (world: World, accountId: string): boolean =>
  !isDisabled(world, accountId) && world.people.get(accountId)?.licensed === true

export function isNamed(world: World, accountId: string, list: RestrictionList): boolean {
  if (!mayUseProduct(world, accountId)) return false
  if (list.users.includes(accountId)) return true
  return list.groups.some((id) => {
    const group = world.groups.get(id)
    return group !== undefined && !group.deleted && group.members.has(accountId)
  })
}

/** Membership alone; a person without access to the product may be a member too. */
export function inGroupNamed(world: World, accountId: string, name: string): boolean {
  for (const group of world.groups.values()) {
    if (group.name === name && !group.deleted && group.members.has(accountId)) return true
  }
  return false
}

export const holdsGroupNamed = (world: World, accountId: string, name: string): boolean =>
  mayUseProduct(world, accountId) && inGroupNamed(world, accountId, name)

export function inClass(world: World, accountId: string, accessClass: string, site: SiteName): boolean {
  const { dcVisitors, cloudVisitors, classMembers } = world.settings
  if (accessClass === 'anonymous-users') return site === 'dataCenter' ? dcVisitors : cloudVisitors
  if (site === 'dataCenter') return inDataCenterClass(world, accountId, accessClass)
  const person = world.people.get(accountId)
  if (person === undefined) return false
  if (accessClass === 'all-licensed-users') return isLicensedUser(person) && !person.guest
  // A guest has its own grants and groups, and those of visitors.
  if (accessClass === 'authenticated-users') return !person.guest
  if (accessClass === 'all-product-admins') return holdsGroupNamed(world, accountId, 'confluence-admins')
  return classMembers[accessClass]?.includes(accountId) ?? false
}

/** Data Center has no classes: its rows name the group of licensed people, and a switch admits unlicensed ones. */
function inDataCenterClass(world: World, accountId: string, accessClass: string): boolean {
  const isUnlicensed = world.people.get(accountId)?.licensed === false
  if (isUnlicensed) return accessClass === 'authenticated-users' && world.settings.dcUnlicensed
  return knownClasses.has(accessClass) && inGroupNamed(world, accountId, 'confluence-users')
}

export const isLicensedUser = ({ accountType, licensed }: WikiPerson): boolean =>
  accountType === 'atlassian' && licensed
