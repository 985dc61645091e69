/** Reads exact lengths from chunks, so that a compressed archive is never in memory as a whole. */
export class ByteStream {
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>
  #held: Uint8Array[] = []
  #length = 0

  constructor(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#chunks = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  }

  /** Fewer bytes only at the end. */
  async take(length: number): Promise<Uint8Array> {
    await this.#fill(length)
    return this.#cut(length)
  }

  /** Like `take`; the next call returns the same bytes. */
  async peek(length: number): Promise<Uint8Array> {
    const bytes = await this.take(length)
    this.#held.unshift(bytes)
    this.#length += bytes.length
    return bytes
  }

  /** False if the end comes first. */
  async skip(length: number): Promise<boolean> {
    let left = length
    while (left > 0) {
      const skipped = (await this.take(Math.min(left, 1_000_000))).length
      if (skipped === 0) return false
      left -= skipped
    }
    return true
  }

  /** Ends the source, whatever is left of it. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #fill(length: number): Promise<void> {
    while (this.#length < length) {
      const { value, done } = await this.#chunks.next()
      if (done) return
      this.#held.push(value)
      this.#length += value.length
    }
  }

  #cut(length: number): Uint8Array {
    const all = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held)
    const bytes = all.subarray(0, length)
    this.#held = [all.subarray(length)]
    this.#length = all.length - bytes.length
    return bytes
  }
}
