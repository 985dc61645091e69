import { addNode } from './model/edits.ts'
import {
  ancestorNodes,
  type ContentNode,
  type Group,
  type RestrictionList,
  type Space,
  type World,
} from './model/model.ts'
import { createRandom, type Random } from './model/random.ts'
import { grant } from './model/roles.ts'

const PAGES_PER_FOLDER = 2
const MAX_DEPTH = 3
const RESTRICTED_SHARE = 0.02

/**
 * Moves every page below one to three folders, few of them restricted, and opens current spaces to the group of
 * all licensed people. Has its own random stream.
 */
export function addOrdinaryFolders(world: World, groups: readonly Group[], seed: number): void {
  const random = createRandom(seed ^ 0xf01de5)
  const everyone = [...world.groups.values()].find(({ name }) => name === 'confluence-users')
  const shapes = new Set(Object.values(world.shapes))
  for (const space of world.spaces.values()) {
    if (space.type !== 'global') continue
    if (everyone !== undefined) space.permissions.push(...grant('group', everyone.id, 'collaborator'))
    const pages = [...world.nodes.values()].filter(
      ({ id, kind, spaceId, status }) =>
        kind === 'page' &&
        status === 'current' &&
        spaceId === space.id &&
        id !== space.homepageId &&
        !shapes.has(id),
    )
    const folders = addFolders(world, space, {
      random,
      groups,
      count: Math.ceil(pages.length / PAGES_PER_FOLDER),
    })
    for (const [at, page] of pages.entries())
      page.parentId = folders[Math.floor(at / PAGES_PER_FOLDER)]?.id ?? page.parentId
  }
}

function addFolders(
  world: World,
  space: Space,
  { random, groups, count }: { random: Random; groups: readonly Group[]; count: number },
): ContentNode[] {
  const folders: ContentNode[] = []
  const possibleParents: ContentNode[] = []
  for (let at = 0; at < count; at++) {
    const parent = random.chance(0.6) && possibleParents.length > 0 ? random.pick(possibleParents) : undefined
    const folder = addNode(world, {
      kind: 'folder',
      spaceId: space.id,
      parentId: parent?.id ?? space.homepageId,
      title: `${space.key} folder ${at + 1}`,
      authorId: space.authorId,
      createdAt: space.createdAt,
      ...(random.chance(RESTRICTED_SHARE) ? { restrictions: { read: readersOf(random, groups) } } : {}),
    })
    folders.push(folder)
    const depth = ancestorNodes(world, folder).filter(({ kind }) => kind === 'folder').length + 1
    if (depth < MAX_DEPTH) possibleParents.push(folder)
  }
  return folders
}

/** One team, or two of its members. */
function readersOf(random: Random, groups: readonly Group[]): RestrictionList {
  const group = random.pick(groups)
  if (random.chance(0.5)) return { users: [], groups: [group.id] }
  return { users: random.some([...group.members], 2), groups: [] }
}
