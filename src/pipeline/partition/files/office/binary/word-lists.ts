import { WORD_PARTS, type WordFile } from './word-file.ts'

type Level = { start: number; format: number }
const LIST_BYTES = 28
const LEVEL_BYTES = 28
const USE_BYTES = 16
const BULLET = 23
/** How HTML names the number formats; others are shown as digits. */
const TYPES = new Map([
  [1, 'I'],
  [2, 'i'],
  [3, 'A'],
  [4, 'a'],
])

/** The tags around the next item of a list; numbers continue across other paragraphs. */
type OpenItem = (list: number, level: number) => { open: string; close: string }

export function readLists(file: WordFile): OpenItem {
  const lists = listsOf(file)
  const uses = usesOf(file)
  const counts = new Map<number, number[]>()
  return (use, level) => {
    const id = uses[use - 1] ?? -1
    const { start, format } = lists.get(id)?.[level] ?? { start: 1, format: BULLET }
    const numbers = counts.get(id) ?? []
    counts.set(id, numbers)
    const number = (numbers[level] ?? start - 1) + 1
    numbers.length = level
    numbers[level] = number
    const type = TYPES.get(format)
    const tag = format >= BULLET ? 'ul' : 'ol'
    const attributes = tag === 'ol' ? ` start="${number}"${type ? ` type="${type}"` : ''}` : ''
    return {
      open: `${'<ul>'.repeat(level)}<${tag}${attributes}><li>`,
      close: `</li></${tag}>${'</ul>'.repeat(level)}`,
    }
  }
}

/** Each list has its levels after the table of lists: one if it is simple, else nine. */
function listsOf(file: WordFile): Map<number, Level[]> {
  const part = file.part(WORD_PARTS.lists)
  const lists = new Map<number, Level[]>()
  const count = part.byteLength < 2 ? 0 : part.getUint16(0, true)
  // The levels come after the length that the header states.
  const rest = new DataView(
    part.buffer,
    part.byteOffset,
    file.table.byteOffset + file.table.byteLength - part.byteOffset,
  )
  let at = 2 + count * LIST_BYTES
  for (let index = 0; index < count; index++) {
    const entry = 2 + index * LIST_BYTES
    if (entry + LIST_BYTES > rest.byteLength) break
    const levels: Level[] = []
    const levelCount = rest.getUint8(entry + 26) & 1 ? 1 : 9
    while (levels.length < levelCount && at + LEVEL_BYTES + 2 <= rest.byteLength) {
      levels.push({ start: rest.getInt32(at, true) | 0, format: rest.getUint8(at + 4) })
      const text = at + LEVEL_BYTES + rest.getUint8(at + 24) + rest.getUint8(at + 25)
      at = text + 2 <= rest.byteLength ? text + 2 + rest.getUint16(text, true) * 2 : rest.byteLength
    }
    lists.set(rest.getInt32(entry, true), levels)
  }
  return lists
}

/** Paragraphs name a use of a list, counted from 1. */
function usesOf(file: WordFile): number[] {
  const part = file.part(WORD_PARTS.listUses)
  const count =
    part.byteLength < 4 ? 0 : Math.min(part.getUint32(0, true), Math.floor((part.byteLength - 4) / USE_BYTES))
  return Array.from({ length: count }, (_, index) => part.getInt32(4 + index * USE_BYTES, true))
}
