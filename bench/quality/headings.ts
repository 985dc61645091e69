import { textDistance } from './text-distance.ts'
import { type Tree, treeDistance, treeSize } from './tree-distance.ts'

/** The level counts only against other levels: whether the highest is 0 or 1 is a matter of taste. */
export type Heading = [level: number, text: string]

/**
 * How far the headings of a document form the tree that they should: 1 where they say the same and stand under the
 * same, less by one part of all for each that is missing, too much or in another place.
 */
export function headingAgreement(made: Heading[], truth: Heading[]): number {
  if (made.length === 0 && truth.length === 0) return 1
  const [one, other] = [headingTree(made), headingTree(truth)]
  const most = Math.max(treeSize(one), treeSize(other)) - 1
  return Math.max(0, 1 - treeDistance(one, other, textDistance) / most)
}

export function headingTree(headings: Heading[]): Tree<string> {
  const root: Tree<string> = { value: '', children: [] }
  const open: { level: number; tree: Tree<string> }[] = [{ level: Number.NEGATIVE_INFINITY, tree: root }]
  for (const [level, value] of headings) {
    while (open.at(-1)!.level >= level) open.pop()
    const tree: Tree<string> = { value, children: [] }
    open.at(-1)!.tree.children.push(tree)
    open.push({ level, tree })
  }
  return root
}
