import type { ContentNode, World } from './model.ts'

/** All versions, newest first. Versions before the first edit of a generated page do not exist. */
export function nodeVersions(world: World, node: ContentNode): ContentNode[] {
  const older = (world.olderVersions.get(node.id) ?? []).map(
    (version): ContentNode => ({ ...node, ...version, status: 'historical' }),
  )
  return [node, ...older.toReversed()]
}

/** A version by its number; undefined if it does not exist. */
export function nodeVersion(world: World, node: ContentNode, number: string): ContentNode | undefined {
  return nodeVersions(world, node).find(({ version }) => String(version.number) === number)
}
