import { numberOfId } from './ids.ts'

const EMPTY = 0

/** Ids in 11 to 22 bytes each; a `Set` of strings needs about 80. */
export class IdSet {
  /** A hash table with linear probing. */
  #slots = new Float64Array(1024)
  #size = 0
  readonly #others = new Set<string>()

  get size(): number {
    return this.#size + this.#others.size
  }

  add(id: string): void {
    const number = numberOfId(id)
    if (number === null) {
      this.#others.add(id)
      return
    }
    if (this.#size * 4 > this.#slots.length * 3) this.#grow()
    const at = slotOf(this.#slots, number)
    if (this.#slots[at] === EMPTY) this.#size++
    this.#slots[at] = number
  }

  has(id: string): boolean {
    const number = numberOfId(id)
    if (number === null) return this.#others.has(id)
    return this.#slots[slotOf(this.#slots, number)] === number
  }

  #grow(): void {
    const slots = new Float64Array(this.#slots.length * 2)
    for (const number of this.#slots) if (number !== EMPTY) slots[slotOf(slots, number)] = number
    this.#slots = slots
  }
}

export async function idsOf(pages: AsyncIterable<{ id: string }[]>): Promise<IdSet> {
  const ids = new IdSet()
  for await (const page of pages) for (const { id } of page) ids.add(id)
  return ids
}

/** The slot of a number, or the empty slot where it belongs. */
function slotOf(slots: Float64Array, number: number): number {
  const mask = slots.length - 1
  const hash = Math.imul((number | 0) ^ Math.floor(number / 2 ** 32), 0x9e3779b1)
  let at = (hash ^ (hash >>> 15)) & mask
  while (slots[at] !== EMPTY && slots[at] !== number) at = (at + 1) & mask
  return at
}
