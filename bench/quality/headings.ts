import { textDistance } from './text-distance.ts'
import { type Tree, treeDistance, treeSize } from './tree-distance.ts'

/** Only relative levels count: the highest may be 0 or 1. */
export type Heading = [level: number, text: string]

/** Similarity of two heading trees; 1 if equal. */
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
