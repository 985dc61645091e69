import { removeAttachment } from './attachments.ts'
import {
  type Body,
  type ContentNode,
  type NodeKind,
  type NodeStatus,
  newId,
  noRestrictions,
  type Restrictions,
  type Space,
  type SpacePermission,
  type World,
} from './model.ts'

/** Creates and changes content; used by the generator, the sample and the controls. */
export interface NewNode {
  spaceId: string
  parentId: string | null
  title: string
  body?: Body
  kind?: NodeKind
  status?: NodeStatus
  authorId: string
  createdAt?: string
  modifiedAt?: string
  versionNumber?: number
  labels?: string[]
  restrictions?: Partial<Restrictions>
}

export function addNode(world: World, input: NewNode): ContentNode {
  const id = newId(world)
  const createdAt = input.createdAt ?? new Date().toISOString()
  const node: ContentNode = {
    id,
    kind: input.kind ?? 'page',
    status: input.status ?? 'current',
    title: input.title,
    spaceId: input.spaceId,
    // Blog posts are not part of the tree.
    parentId: input.kind === 'blogpost' ? null : input.parentId,
    position: world.nodes.size,
    authorId: input.authorId,
    createdAt,
    version: {
      number: input.versionNumber ?? 1,
      when: input.modifiedAt ?? createdAt,
      by: input.authorId,
      message: '',
      minorEdit: false,
    },
    labels: input.labels ?? [],
    restrictions: { ...noRestrictions(), ...input.restrictions },
    body: input.body ?? { storage: '' },
    changed: ++world.changes,
  }
  world.nodes.set(id, node)
  return node
}

export interface NewSpace {
  key: string
  name: string
  authorId: string
  type?: Space['type']
  status?: Space['status']
  usesRoles?: boolean
  description?: string | null
  createdAt?: string
  permissions: SpacePermission[]
}

export function addSpace(world: World, input: NewSpace): Space {
  const space: Space = {
    id: newId(world),
    key: input.key,
    name: input.name,
    type: input.type ?? 'global',
    status: input.status ?? 'current',
    homepageId: null,
    authorId: input.authorId,
    createdAt: input.createdAt ?? '2025-01-02T03:04:05.678Z',
    description: input.description ?? null,
    usesRoles: input.usesRoles ?? false,
    permissions: input.permissions,
  }
  world.spaces.set(space.id, space)
  return space
}

/** Creates a version, like an edit; moves, labels and restrictions do not. */
export function editNode(
  world: World,
  node: ContentNode,
  change: { title?: string; body?: Body; when?: string },
): void {
  const { title, body, version } = node
  world.olderVersions.set(node.id, [...(world.olderVersions.get(node.id) ?? []), { title, body, version }])
  node.title = change.title ?? node.title
  node.body = change.body ?? node.body
  node.version = {
    ...node.version,
    number: node.version.number + 1,
    when: change.when ?? new Date().toISOString(),
  }
  node.changed = ++world.changes
}

export function moveNode(world: World, node: ContentNode, parentId: string | null): void {
  if (node.kind === 'blogpost') throw new Error(`${node.id} is a blog post, which has no parent`)
  const parent = parentId === null ? undefined : world.nodes.get(parentId)
  node.parentId = parentId
  if (parent !== undefined && parent.spaceId !== node.spaceId) {
    node.spaceId = parent.spaceId
    for (const child of world.nodes.values()) if (child.parentId === node.id) moveNode(world, child, node.id)
  }
  node.changed = ++world.changes
}

/** Removes a node from the tree; its children move up to the parent. */
export function setStatus(world: World, node: ContentNode, status: NodeStatus): void {
  node.status = status
  node.changed = ++world.changes
  if (status === 'current') return
  for (const child of world.nodes.values())
    if (child.parentId === node.id) moveNode(world, child, node.parentId)
}

export function purgeNode(world: World, node: ContentNode): void {
  setStatus(world, node, 'deleted')
  deleteNode(world, node)
}

export function removeSpace(world: World, space: Space): void {
  for (const node of [...world.nodes.values()]) if (node.spaceId === space.id) deleteNode(world, node)
  world.spaces.delete(space.id)
  world.changes++
}

/** Also removes what belongs to it, including its trash. */
function deleteNode(world: World, node: ContentNode): void {
  for (const attachment of world.attachmentsOf.get(node.id) ?? []) removeAttachment(world, attachment)
  for (const { id } of world.commentsOf.get(node.id) ?? []) world.comments.delete(id)
  world.attachmentsOf.delete(node.id)
  world.commentsOf.delete(node.id)
  world.olderVersions.delete(node.id)
  world.nodes.delete(node.id)
}
