import { DomUtils, parseDocument } from 'htmlparser2'
import { textDistance } from './text-distance.ts'
import { type Tree, treeDistance, treeSize } from './tree-distance.ts'

type ChildNode = ReturnType<typeof parseDocument>['children'][number]
type Element = Extract<ChildNode, { attribs: object }>
type Part = { tag: 'table' | 'tr' | 'td'; spans: string; text: string }

/** Tree edit distance similarity of two tables (TEDS). Ignores header cells; a nested table is text. */
export function teds(one: string, other: string): number {
  return similarity(tableTree(one), tableTree(other))
}

function similarity(a: Tree<Part>, b: Tree<Part>): number {
  return 1 - treeDistance(a, b, rename) / Math.max(treeSize(a), treeSize(b))
}

/** Pairs tables in order; a missing or extra table scores 0. */
export function tablesAgreement(made: string[], truth: string[]): number {
  const most = Math.max(made.length, truth.length)
  if (most === 0) return 1
  const expected = truth.map(tableTree)
  let above = new Float64Array(truth.length + 1)
  for (const html of made) {
    const table = tableTree(html)
    const row = new Float64Array(truth.length + 1)
    for (const [at, each] of expected.entries()) {
      const without = Math.max(above[at + 1]!, row[at]!)
      // Sizes limit the similarity, which takes long to compute.
      const [small = 1, large = 1] = [treeSize(table), treeSize(each)].sort((a, b) => a - b)
      const isUseful = above[at]! + small / large > without
      row[at + 1] = isUseful ? Math.max(above[at]! + similarity(table, each), without) : without
    }
    above = row
  }
  return above[truth.length]! / most
}

export function tableTree(html: string): Tree<Part> {
  const [table] = DomUtils.getElementsByTagName('table', parseDocument(html).children, true, 1)
  const rows = table ? rowsOf(table) : []
  return {
    value: { tag: 'table', spans: '', text: '' },
    children: rows.map((row) => ({
      value: { tag: 'tr', spans: '', text: '' },
      children: row.children.filter(isCell).map((cell) => ({ value: cellOf(cell), children: [] })),
    })),
  }
}

function rename(from: Part, to: Part): number {
  if (from.tag !== to.tag || from.spans !== to.spans) return 1
  return from.tag === 'td' ? textDistance(from.text, to.text) : 0
}

/** Without those of nested tables. */
function rowsOf({ children }: Element): Element[] {
  return children.filter(isTag).flatMap((child) => {
    if (child.name === 'tr') return [child]
    return ['thead', 'tbody', 'tfoot'].includes(child.name) ? rowsOf(child) : []
  })
}

function isTag(node: ChildNode): node is Element {
  return 'attribs' in node
}

function isCell(node: ChildNode): node is Element {
  return isTag(node) && (node.name === 'td' || node.name === 'th')
}

function cellOf(cell: Element): Part {
  const { colspan = '1', rowspan = '1' } = cell.attribs
  return { tag: 'td', spans: `${colspan} × ${rowspan}`, text: textOf(cell).join(' ') }
}

/** Separates parts, so that two lines never form one word. */
function textOf(node: ChildNode): string[] {
  if (node.type === 'text') return [node.data]
  return isTag(node) ? node.children.flatMap(textOf) : []
}
