import { viewOf, WORD_PARTS, type WordFile } from './word-file.ts'
import { readProperties, type WordProperties } from './word-properties.ts'

const PAGE_BYTES = 512
const NO_STYLE = 0

type WordRun = { end: number; style: number; properties: WordProperties }
/** Finds the run at an offset of the main stream. */
type WordRuns = (offset: number) => WordRun | null

/** Formatted runs are in pages of 512 bytes, ordered by the offset of their text. */
export function readRuns(file: WordFile, kind: 'characters' | 'paragraphs'): WordRuns {
  const index = file.part(kind === 'characters' ? WORD_PARTS.characterRuns : WORD_PARTS.paragraphRuns)
  const count = Math.max(0, Math.floor((index.byteLength - 4) / 8))
  const lastPage = Math.floor(file.main.byteLength / PAGE_BYTES)
  const starts: number[] = []
  const runs: WordRun[] = []
  for (let at = 0; at < count && at <= lastPage; at++) {
    const page = index.getUint32((count + 1) * 4 + at * 4, true) & 0x3fffff
    if (page >= lastPage) continue
    readPage(file, { page, kind }, (start, run) => {
      if (start < (starts.at(-1) ?? 0)) return
      starts.push(start)
      runs.push(run)
    })
  }
  return (offset) => {
    const run = runs[lastAtMost(starts, offset)]
    return run && offset < run.end ? run : null
  }
}

function readPage(
  { main, data }: WordFile,
  { page, kind }: { page: number; kind: 'characters' | 'paragraphs' },
  add: (start: number, run: WordRun) => void,
): void {
  const bytes = new DataView(main.buffer, main.byteOffset + page * PAGE_BYTES, PAGE_BYTES)
  const entryBytes = kind === 'characters' ? 1 : 13
  const count = Math.min(bytes.getUint8(PAGE_BYTES - 1), Math.floor((PAGE_BYTES - 5) / (4 + entryBytes)))
  for (let index = 0; index < count; index++) {
    const start = bytes.getUint32(index * 4, true)
    const end = bytes.getUint32(index * 4 + 4, true)
    const at = bytes.getUint8((count + 1) * 4 + index * entryBytes) * 2
    const list = at === 0 ? viewOf(null) : kind === 'characters' ? shortList(bytes, at) : longList(bytes, at)
    if (kind === 'characters') add(start, { end, style: NO_STYLE, properties: readProperties(list, data) })
    else if (list.byteLength < 2) add(start, { end, style: NO_STYLE, properties: {} })
    else
      add(start, {
        end,
        style: list.getUint16(0, true),
        properties: readProperties(slice(list, 2, list.byteLength - 2), data),
      })
  }
}

function shortList(page: DataView, at: number): DataView {
  return slice(page, at + 1, page.getUint8(at))
}

/** The length is in words; zero means that it is in the next byte. */
function longList(page: DataView, at: number): DataView {
  const words = page.getUint8(at)
  if (words > 0) return slice(page, at + 1, words * 2 - 1)
  return slice(page, at + 2, at + 1 < PAGE_BYTES ? page.getUint8(at + 1) * 2 : 0)
}

function slice(view: DataView, at: number, length: number): DataView {
  const start = Math.min(at, view.byteLength)
  return new DataView(view.buffer, view.byteOffset + start, Math.min(length, view.byteLength - start))
}

function lastAtMost(sorted: number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}
