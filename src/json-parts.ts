import { setImmediate as nextTurn } from 'node:timers/promises'

/** A part of elements with vectors of 4,096 dimensions takes about 30 ms. */
const ITEMS_PER_PART = 100

/** A list as JSON in parts: other work gets its turn between them. */
export async function* jsonParts(
  lists: AsyncIterable<unknown[]> | Iterable<unknown[]>,
): AsyncGenerator<string> {
  let isFirst = true
  yield '['
  for await (const list of lists) {
    for (let at = 0; at < list.length; at += ITEMS_PER_PART) {
      const part = JSON.stringify(list.slice(at, at + ITEMS_PER_PART)).slice(1, -1)
      yield isFirst ? part : `,${part}`
      isFirst = false
      await nextTurn()
    }
  }
  yield ']'
}
