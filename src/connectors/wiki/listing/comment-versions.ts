import type { CommentInfo } from '../client.ts'
import { numberOfId } from '../ids.ts'

/** The ids and versions of comments by page, in about 24 bytes each. Sort before the first `of`. */
export class CommentVersions {
  readonly #pages = new Column()
  readonly #ids = new Column()
  readonly #versions = new Column()
  /** Comments whose ids or versions are not plain numbers. */
  readonly #others = new Map<string, { id: string; version: string }[]>()
  /** Positions of comments by page. */
  #order = new Uint32Array()

  add(comments: CommentInfo[]): void {
    for (const { pageId, id, version } of comments) {
      const numbers = [pageId, id].map(numberOfId)
      if (numbers.includes(null) || String(Number(version)) !== version) {
        const others = this.#others.get(pageId) ?? []
        this.#others.set(pageId, [...others, { id, version }])
        continue
      }
      this.#pages.push(Number(pageId))
      this.#ids.push(Number(id))
      this.#versions.push(Number(version))
    }
  }

  sort(): void {
    const pages = this.#pages.values()
    this.#order = Uint32Array.from({ length: pages.length }, (_, at) => at)
    this.#order.sort((a, b) => pages[a]! - pages[b]!)
  }

  of(pageId: string): { id: string; version: string }[] {
    const others = this.#others.get(pageId) ?? []
    const number = numberOfId(pageId)
    if (number === null || this.#order.length === 0) return others
    const [pages, ids, versions] = [this.#pages.values(), this.#ids.values(), this.#versions.values()]
    const found: { id: string; version: string }[] = []
    for (let at = this.#firstOf(number); pages[this.#order[at]!] === number; at++) {
      const index = this.#order[at]!
      found.push({ id: String(ids[index]), version: String(versions[index]) })
    }
    return [...found, ...others]
  }

  #firstOf(page: number): number {
    const pages = this.#pages.values()
    let [low, high] = [0, this.#order.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (pages[this.#order[middle]!]! < page) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Numbers in a buffer that grows by half. */
class Column {
  #buffer = new Float64Array(256)
  #length = 0

  push(value: number): void {
    if (this.#length === this.#buffer.length) {
      const larger = new Float64Array(Math.ceil(this.#length * 1.5))
      larger.set(this.#buffer)
      this.#buffer = larger
    }
    this.#buffer[this.#length++] = value
  }

  values(): Float64Array {
    return this.#buffer.subarray(0, this.#length)
  }
}
