import type { ContentNode, World } from './model.ts'

/** Pages by title and by parent, rebuilt after each change. */
interface SiteIndex {
  changes: number
  byTitle: Map<string, ContentNode[]>
  byParent: Map<string, ContentNode[]>
}

const indexes = new WeakMap<World, SiteIndex>()

function indexOf(world: World): SiteIndex {
  const known = indexes.get(world)
  if (known?.changes === world.changes) return known
  const made: SiteIndex = { changes: world.changes, byTitle: new Map(), byParent: new Map() }
  for (const node of world.nodes.values()) {
    if (node.status !== 'current') continue
    add(made.byTitle, titleKey(node.spaceId, node.title), node)
    if (node.parentId !== null) add(made.byParent, node.parentId, node)
  }
  indexes.set(world, made)
  return made
}

function add(lists: Map<string, ContentNode[]>, key: string, node: ContentNode): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [node])
  else list.push(node)
}

const titleKey = (spaceId: string, title: string): string => `${spaceId} ${title.toLowerCase()}`

/** Titles are unique in a space, ignoring case; finds current pages only. */
export function currentByTitle(world: World, place: { spaceId: string; title: string }): ContentNode[] {
  return indexOf(world).byTitle.get(titleKey(place.spaceId, place.title)) ?? []
}

export const currentChildren = (world: World, id: string): ContentNode[] =>
  [...(indexOf(world).byParent.get(id) ?? [])].sort((a, b) => a.position - b.position)
