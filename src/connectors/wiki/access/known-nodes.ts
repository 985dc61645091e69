import { type AnyOf, anyOf } from '../../../permissions/principals.ts'
import { numberOfId } from '../ids.ts'
import type { TreeNode } from './tree.ts'

/** A node's read restriction, or why it could not be read. */
export type ReadRule = { read: AnyOf | null } | { unread: string }

/**
 * The nodes of earlier batches, which later batches need as ancestors. A page keeps its id, parent, title and read
 * restriction: 25 bytes and its title, outside the heap. Everything else of a page goes with its batch.
 */
export class KnownNodes {
  readonly #chunks: Chunk[] = []
  /** Folders, pages above the listed ones, and pages that do not fit into a chunk. */
  readonly #others = new Map<string, { node: TreeNode; rule?: ReadRule }>()
  readonly #types: string[] = []
  /** Equal restrictions are stored once, as text. */
  readonly #restrictions = new Interned()

  get(id: string): TreeNode | undefined {
    const other = this.#others.get(id)
    if (other) return other.node
    const found = this.#find(id)
    return found ? this.#unpack(found) : undefined
  }

  /** Undefined if it was not read yet. */
  ruleOf(id: string): ReadRule | undefined {
    const other = this.#others.get(id)
    if (other) return other.rule
    const found = this.#find(id)
    const index = found?.chunk.rules[found.at] ?? NOT_READ
    if (index === NOT_READ) return undefined
    if (index === UNREAD) return { unread: unreadReason(id) }
    return { read: index === OPEN ? null : this.#restrictions.get(index - 1) }
  }

  setRule(id: string, rule: ReadRule | undefined): void {
    const other = this.#others.get(id)
    if (other && rule) other.rule = rule
    const found = other ? null : this.#find(id)
    if (found) found.chunk.rules[found.at] = this.#indexOf(rule)
  }

  /** Listed pages with ascending ids, above those of earlier calls; they replace ancestors with their ids. */
  addPages(pages: readonly TreeNode[], ruleOf: (id: string) => ReadRule | undefined): void {
    const fitting = pages.filter((page) => this.#fits(page))
    for (const { id } of fitting) this.#others.delete(id)
    if (fitting.length > 0) this.#chunks.push(this.#pack(fitting, ruleOf))
    const others = pages.filter((page) => !this.#fits(page))
    for (const page of others) this.addAncestor(page, ruleOf(page.id))
  }

  addAncestor({ id, title, parent, unreadable }: TreeNode, rule: ReadRule | undefined): void {
    const node = { id, title, parent, ...(unreadable ? { unreadable } : {}) }
    this.#others.set(id, { node, ...(rule ? { rule } : {}) })
  }

  #fits({ id, parent, unreadable }: TreeNode): boolean {
    if (unreadable || numberOfId(id) === null) return false
    return !parent || (numberOfId(parent.id) !== null && this.#typeIndex(parent.type) <= 255)
  }

  #pack(pages: TreeNode[], ruleOf: (id: string) => ReadRule | undefined): Chunk {
    const titles = pages.map(({ title }) => Buffer.from(title))
    let end = 0
    return {
      ids: Float64Array.from(pages, ({ id }) => Number(id)),
      parents: Float64Array.from(pages, ({ parent }) => Number(parent?.id ?? 0)),
      types: Uint8Array.from(pages, ({ parent }) => (parent ? this.#typeIndex(parent.type) : 0)),
      rules: Int32Array.from(pages, ({ id }) => this.#indexOf(ruleOf(id))),
      titleEnds: Uint32Array.from(titles, ({ length }) => {
        end += length
        return end
      }),
      titles: Buffer.concat(titles),
    }
  }

  #unpack({ chunk, at }: Found): TreeNode {
    const { ids, parents, types, titleEnds, titles } = chunk
    const parent = parents[at] ?? 0
    return {
      id: String(ids[at]),
      title: titles.toString('utf8', titleEnds[at - 1] ?? 0, titleEnds[at]),
      parent: parent > 0 ? { id: String(parent), type: this.#types[(types[at] ?? 0) - 1] ?? 'page' } : null,
    }
  }

  #find(id: string): Found | null {
    const number = numberOfId(id)
    if (number === null) return null
    const chunk = this.#chunks[lastIndex(this.#chunks.length, (at) => this.#chunks[at]!.ids[0]! <= number)]
    if (!chunk) return null
    const at = lastIndex(chunk.ids.length, (index) => chunk.ids[index]! <= number)
    return chunk.ids[at] === number ? { chunk, at } : null
  }

  #indexOf(rule: ReadRule | undefined): number {
    if (!rule) return NOT_READ
    if ('unread' in rule) return UNREAD
    return rule.read ? this.#restrictions.add(rule.read) + 1 : OPEN
  }

  #typeIndex(type: string): number {
    const known = this.#types.indexOf(type)
    return known < 0 ? this.#types.push(type) : known + 1
  }
}

type Chunk = {
  ids: Float64Array
  /** 0 for none. */
  parents: Float64Array
  types: Uint8Array
  rules: Int32Array
  titleEnds: Uint32Array
  titles: Buffer
}
type Found = { chunk: Chunk; at: number }

const OPEN = 0
const NOT_READ = -1
const UNREAD = -2

export function unreadReason(id: string): string {
  return `the restrictions of ${id} could not be read`
}

class Interned {
  readonly #texts: string[] = []
  readonly #indexes = new Map<string, number>()

  add({ users, groups, classes }: AnyOf): number {
    const text = JSON.stringify([[...users], [...groups], [...classes]])
    const index = this.#indexes.get(text) ?? this.#texts.push(text) - 1
    this.#indexes.set(text, index)
    return index
  }

  get(index: number): AnyOf {
    const [users, groups, classes] = JSON.parse(this.#texts[index]!) as [string[], string[], string[]]
    return anyOf(users, groups, classes)
  }
}

/** The last index for which `isBefore` holds, or -1; it holds up to some index and not after. */
function lastIndex(length: number, isBefore: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}
