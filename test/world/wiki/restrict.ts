import { addPage, type GeneratorState } from './generator.ts'
import { addNode } from './model/edits.ts'
import {
  type ContentNode,
  isCloudOnly,
  noRestrictions,
  type RestrictionList,
  type Space,
} from './model/model.ts'
import { type Topic, topics } from './words.ts'

/** Restricts a share of the tree, at every level. */
export function restrictSome(state: GeneratorState): void {
  const { world, random, cast } = state
  const shapes = new Set(Object.values(world.shapes))
  for (const node of world.nodes.values()) {
    if (shapes.has(node.id) || node.parentId === null) continue
    if (world.nodes.get(node.parentId)?.restrictions.read.users.includes(cast.app.accountId)) continue
    if (random.chance(isCloudOnly(node.kind) ? 0.2 : 0.05)) node.restrictions.read = drawList(state)
    if (random.chance(0.03)) node.restrictions.update = drawList(state)
  }
}

function drawList({ random, cast }: GeneratorState): RestrictionList {
  const people = (count: number) => random.some(cast.people, count).map((person) => person.accountId)
  const groups = (count: number) => random.some(cast.groups, count).map((group) => group.id)
  switch (random.int(0, 9)) {
    case 0:
    case 1:
    case 2:
      return { users: people(random.int(1, 4)), groups: [] }
    case 3:
    case 4:
    case 5:
      return { users: [], groups: groups(random.int(1, 2)) }
    case 6:
      return { users: [cast.app.accountId], groups: [] }
    case 7:
      return { users: people(1), groups: [cast.deletedGroup.id] }
    default:
      return { users: people(random.int(1, 3)), groups: groups(1) }
  }
}

/** One page for each form of permission, which tests find by name. */
export function addShapes(state: GeneratorState, space: Space, roleSpace: Space | undefined): void {
  const { world, cast } = state
  const [teamA, teamB] = cast.groups
  const [, ann, ben] = cast.people
  const topic = topics[4] as Topic
  const home = world.nodes.get(space.homepageId ?? '')
  const add = (
    title: string,
    parent: ContentNode | undefined,
    read?: Partial<RestrictionList>,
    where = space,
  ): ContentNode => {
    const restrictions = { ...noRestrictions(), read: { users: [], groups: [], ...read } }
    const node = addPage(state, { space: where, topic, title, parent, restrictions })
    return node
  }
  if (teamA === undefined || teamB === undefined || ann === undefined || ben === undefined) return
  const groupA = { groups: [teamA.id] }
  const ancestor = add('Shape: restricted ancestor', home, groupA)
  const folder = addNode(world, {
    kind: 'folder',
    spaceId: space.id,
    parentId: home?.id ?? null,
    title: 'Shape: restricted folder',
    authorId: space.authorId,
    createdAt: '2025-05-05T05:05:05.000Z',
    restrictions: { read: { users: [ann.accountId], groups: [] } },
  })
  world.shapes = {
    spaceOnly: add('Shape: space only', home).id,
    ownRestriction: add('Shape: own restriction', home, { users: [ann.accountId, ben.accountId] }).id,
    restrictedAncestor: ancestor.id,
    ancestorOnly: add('Shape: ancestor only', ancestor).id,
    ownInsideAncestorGroup: add('Shape: own inside the group of an ancestor', ancestor, {
      users: [[...teamA.members][0] ?? ''],
    }).id,
    bothDifferent: add('Shape: both restricted, differently', ancestor, { groups: [teamB.id] }).id,
    appOnly: add('Shape: an app account only', home, { users: [cast.app.accountId] }).id,
    restrictedFolder: folder.id,
    underFolder: add('Shape: under a restricted folder', folder).id,
    ...(roleSpace === undefined
      ? {}
      : {
          rbacSpace: add(
            'Shape: a space governed by roles',
            world.nodes.get(roleSpace.homepageId ?? ''),
            {},
            roleSpace,
          ).id,
        }),
  }
}
