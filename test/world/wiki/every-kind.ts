import { addNode } from './model/edits.ts'
import { type Group, isRestricted, type Space, type WikiPerson, type World } from './model/model.ts'
import { addPerson } from './model/people.ts'
import { createRandom, type Random } from './model/random.ts'
import { grant } from './model/roles.ts'

/** Two accounts of each special type, by what distinguishes it. */
export const otherAccounts: Record<string, Partial<WikiPerson>> = {
  Guest: { guest: true },
  Deactivated: { active: false },
  Closed: { active: false, closed: true },
  Unlicensed: { licensed: false },
  Robot: { accountType: 'app', email: '' },
  Customer: { accountType: 'customer', licensed: false },
}

/**
 * Adds accounts of every type, and folders, whiteboards and databases above pages. Has its own random stream, so
 * the rest stays the same.
 */
export function addEveryKind(world: World, groups: Group[], seed: number): void {
  const random = createRandom(seed * 7919 + 13)
  const people = Object.entries(otherAccounts).flatMap(([accountKind, flags]) =>
    ['One', 'Two'].map((last) => {
      const prefix = flags.accountType === 'customer' ? 'qm' : '557058'
      return addPerson(world, {
        accountId: `${prefix}:${random.uuid()}`,
        name: `${accountKind} ${last}`,
        ...flags,
      })
    }),
  )
  for (const { accountId } of people) addToPermissions(world, accountId, { random, groups })
  const spaces = [...world.spaces.values()].filter(({ type }) => type === 'global')
  spaces[1]?.permissions.push(...grant('access-class', 'authenticated-users', 'viewer'))
  for (const space of spaces) addContainers(world, space, random)
}

/** Puts a folder, a whiteboard and a database above one page each; most are restricted. */
function addContainers(world: World, space: Space, random: Random): void {
  const shapes = new Set(Object.values(world.shapes))
  const pages = [...world.nodes.values()].filter(
    ({ id, kind, spaceId, parentId, status }) =>
      kind === 'page' && spaceId === space.id && parentId !== null && status === 'current' && !shapes.has(id),
  )
  const users = [...world.people.keys()]
  for (const [at, page] of random.some(pages, 3).entries()) {
    const kind = containers[at] ?? 'folder'
    const read = { users: random.some(users, random.int(0, 2) * 4), groups: [] }
    page.parentId = addNode(world, {
      kind,
      spaceId: space.id,
      parentId: page.parentId,
      title: `${kind} above ${page.title}`,
      authorId: space.authorId,
      createdAt: page.createdAt,
      restrictions: { read },
    }).id
  }
}

const containers = ['folder', 'whiteboard', 'database'] as const

/** In two groups, in one space by name, and in some of the restrictions. */
function addToPermissions(
  world: World,
  accountId: string,
  { random, groups }: { random: Random; groups: Group[] },
): void {
  for (const group of random.some(groups, 2)) group.members.add(accountId)
  random.pick([...world.spaces.values()]).permissions.push(...grant('user', accountId, 'collaborator'))
  const shapes = new Set(Object.values(world.shapes))
  const lists = [...world.nodes.values()]
    .filter(({ id }) => !shapes.has(id))
    .flatMap(({ restrictions: { read, update } }) => [read, update])
    .filter(isRestricted)
  for (const list of random.some(lists, Math.ceil(lists.length * 0.3))) list.users.push(accountId)
}
