export type Tree<Value> = { value: Value; children: Tree<Value>[] }

/** Edit distance of ordered trees (Zhang and Shasha, 1989); `rename` costs 0 to 1. */
export function treeDistance<Value>(
  one: Tree<Value>,
  other: Tree<Value>,
  rename: (from: Value, to: Value) => number,
): number {
  const [a, b] = [postOrder(one), postOrder(other)]
  const distances = a.values.map(() => new Float64Array(b.values.length))
  for (const i of a.keyRoots) for (const j of b.keyRoots) forests(i, j)
  return distances.at(-1)!.at(-1)!

  /** Distances of all subtrees with the leftmost leaves of `i` and `j`. */
  function forests(i: number, j: number): void {
    const [li, lj] = [a.leftmost[i]!, b.leftmost[j]!]
    const [rows, columns] = [i - li + 2, j - lj + 2]
    const costs = Array.from({ length: rows }, () => new Float64Array(columns))
    for (let x = 1; x < rows; x++) costs[x]![0] = x
    for (let y = 1; y < columns; y++) costs[0]![y] = y
    for (let x = 1; x < rows; x++) {
      for (let y = 1; y < columns; y++) {
        const [s, t] = [li + x - 1, lj + y - 1]
        const change = Math.min(costs[x - 1]![y]! + 1, costs[x]![y - 1]! + 1)
        if (a.leftmost[s] === li && b.leftmost[t] === lj) {
          const cost = costs[x - 1]![y - 1]! + rename(a.values[s]!, b.values[t]!)
          distances[s]![t] = costs[x]![y] = Math.min(change, cost)
        } else {
          const before = costs[a.leftmost[s]! - li]![b.leftmost[t]! - lj]!
          costs[x]![y] = Math.min(change, before + distances[s]![t]!)
        }
      }
    }
  }
}

export function treeSize(tree: Tree<unknown>): number {
  return tree.children.reduce((sum, child) => sum + treeSize(child), 1)
}

type PostOrder<Value> = { values: Value[]; leftmost: number[]; keyRoots: number[] }

/** Nodes in post-order, with leftmost leaves and key roots. */
function postOrder<Value>(tree: Tree<Value>): PostOrder<Value> {
  const values: Value[] = []
  const leftmost: number[] = []
  const walk = ({ value, children }: Tree<Value>): number => {
    const first = children.map(walk)[0] ?? values.length
    values.push(value)
    leftmost.push(first)
    return first
  }
  walk(tree)
  const keyRoots = values.keys().filter((at) => leftmost.lastIndexOf(leftmost[at]!) === at)
  return { values, leftmost, keyRoots: [...keyRoots] }
}
