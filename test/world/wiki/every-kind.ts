import {
  type Group,
  isCloudOnly,
  isRestricted,
  type Person,
  type World,
} from '../../../src/sample/wiki/model.ts'
import { addPerson } from '../../../src/sample/wiki/people.ts'
import { createRandom, type Random } from '../../../src/sample/wiki/random.ts'
import { grant } from '../../../src/sample/wiki/roles.ts'

/** Two accounts of each sort that is not an ordinary person, by what makes it so. */
export const otherAccounts: Record<string, Partial<Person>> = {
  Guest: { guest: true },
  Deactivated: { active: false },
  Closed: { active: false, closed: true },
  Unlicensed: { licensed: false },
  Robot: { accountType: 'app', licensed: false, email: '' },
  Customer: { accountType: 'customer', licensed: false },
}

/**
 * Adds accounts of every type to groups, spaces and restrictions, and turns some folders into whiteboards and
 * databases. It draws from a stream of its own, so that the rest of the wiki stays as the seed made it.
 */
export function addEveryKind(world: World, groups: Group[], seed: number): void {
  const random = createRandom(seed * 7919 + 13)
  const people = Object.entries(otherAccounts).flatMap(([sort, flags]) =>
    ['One', 'Two'].map((last) => {
      const prefix = flags.accountType === 'customer' ? 'qm' : '557058'
      return addPerson(world, { accountId: `${prefix}:${random.uuid()}`, name: `${sort} ${last}`, ...flags })
    }),
  )
  for (const { accountId } of people) place(world, accountId, { random, groups })
  const spaces = [...world.spaces.values()].filter(({ type }) => type === 'global')
  spaces[1]?.permissions.push(...grant('access-class', 'authenticated-users', 'viewer'))
  const kinds = ['folder', 'whiteboard', 'database'] as const
  let at = 0
  for (const node of world.nodes.values())
    if (isCloudOnly(node.kind) && !Object.values(world.shapes).includes(node.id))
      node.kind = kinds[at++ % kinds.length] ?? 'folder'
}

/** In two groups, in one space by name, and in some of the restrictions. */
function place(
  world: World,
  accountId: string,
  { random, groups }: { random: Random; groups: Group[] },
): void {
  for (const group of random.some(groups, 2)) group.members.add(accountId)
  random.pick([...world.spaces.values()]).permissions.push(...grant('user', accountId, 'collaborator'))
  const shapes = new Set(Object.values(world.shapes))
  for (const { id, restrictions } of world.nodes.values()) {
    for (const list of [restrictions.read, restrictions.update])
      if (isRestricted(list) && !shapes.has(id) && random.chance(0.3)) list.users.push(accountId)
  }
}
