import { setImmediate as nextTurn } from 'node:timers/promises'

/** Writing as many characters takes about a millisecond. */
const PART_LENGTH = 64 * 1024

/** A list as JSON in parts: other work gets its turn between them. */
export async function* jsonParts(
  lists: AsyncIterable<unknown[]> | Iterable<unknown[]>,
): AsyncGenerator<string> {
  let part = '['
  let isFirst = true
  for await (const list of lists)
    for (const item of list) {
      for (const piece of piecesOf(item, isFirst ? '' : ',')) {
        part += piece
        if (part.length < PART_LENGTH) continue
        yield part
        part = ''
        await nextTurn()
      }
      isFirst = false
    }
  yield `${part}]`
}

/** The pieces of `JSON.stringify(value)`: long strings are cut, objects and lists are written one entry after another. */
function* piecesOf(value: unknown, before = ''): Generator<string> {
  if (typeof value === 'string' && value.length > PART_LENGTH) yield* piecesOfText(value, before)
  else if (typeof value !== 'object' || value === null || !isLong(value))
    yield before + (JSON.stringify(value) ?? 'null')
  else if (Array.isArray(value)) {
    yield `${before}[`
    for (const [at, each] of value.entries()) yield* piecesOf(each, at === 0 ? '' : ',')
    yield ']'
  } else {
    yield `${before}{`
    const entries = Object.entries(value).filter(([, each]) => each !== undefined)
    for (const [at, [key, each]] of entries.entries())
      yield* piecesOf(each, `${at === 0 ? '' : ','}${JSON.stringify(key)}:`)
    yield '}'
  }
}

function* piecesOfText(text: string, before: string): Generator<string> {
  yield `${before}"`
  for (let at = 0; at < text.length; ) {
    const end = at + PART_LENGTH
    // Both halves of a character stay together.
    const next = isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end)) ? end + 1 : end
    yield JSON.stringify(text.slice(at, next)).slice(1, -1)
    at = next
  }
  yield '"'
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** Whether the plain data has more than one part of text. */
function isLong(value: object): boolean {
  let left = PART_LENGTH
  const take = (each: unknown): boolean => {
    if (typeof each === 'string') left -= each.length
    else if (typeof each === 'object' && each !== null) {
      for (const inner of Array.isArray(each) ? each : Object.values(each)) if (take(inner)) return true
    } else left -= 10
    return left < 0
  }
  return take(value)
}
