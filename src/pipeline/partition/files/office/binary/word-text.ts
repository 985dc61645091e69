import { viewOf, WORD_PARTS, type WordFile } from './word-file.ts'
import { readProperties, type WordProperties } from './word-properties.ts'
import { readRuns } from './word-runs.ts'

/** A paragraph or cell: its visible text with control characters, and how it ended. */
export type WordParagraph = {
  text: string
  /** The mark that ended it: a paragraph, cell or page mark. */
  mark: string
  style: number
  properties: WordProperties
}

/** `changes` is formatting that applies to the whole piece, on top of that of its runs. */
type Piece = { start: number; end: number; offset: number; wide: boolean; changes: DataView | null }

const MARKS = new Set(['\r', '\x07', '\x0c'])

/** The text of a document is in pieces, of which some have one byte for each character. */
export function openWordText(file: WordFile) {
  const pieces = piecesOf(file)
  const characters = readRuns(file, 'characters')
  const paragraphs = readRuns(file, 'paragraphs')
  const bytes = Buffer.from(file.main.buffer, file.main.byteOffset, file.main.byteLength)

  function* runsOf({ start, end }: { start: number; end: number }) {
    for (const piece of pieces) {
      const size = piece.wide ? 2 : 1
      let from = piece.offset + Math.max(0, start - piece.start) * size
      const to = piece.offset + (Math.min(end, piece.end) - piece.start) * size
      while (from < to) {
        const run = characters(from)
        const stop = Math.min(to, Math.max(run?.end ?? to, from + size))
        const properties = piece.changes
          ? readProperties(piece.changes, viewOf(null), { ...run?.properties })
          : run?.properties
        const text = piece.wide
          ? bytes.toString('utf16le', from, stop)
          : NARROW.decode(bytes.subarray(from, stop))
        yield { text, from, size, properties: properties ?? {}, changes: piece.changes }
        from = stop
      }
    }
  }

  return function* paragraphsOf(story: { start: number; end: number }): Generator<WordParagraph> {
    let kept = ''
    for (const { text, from, size, properties, changes } of runsOf(story)) {
      const isKept = !properties.isHidden && !properties.isDeleted && !properties.isSymbol
      let done = 0
      for (let at = 0; at < text.length; at++) {
        const mark = text[at]!
        if (!MARKS.has(mark)) continue
        if (isKept) kept += text.slice(done, at)
        done = at + 1
        // A deleted mark joins two paragraphs.
        if (properties.isDeleted && mark === '\r') continue
        const run = paragraphs(from + at * size)
        const own = changes ? readProperties(changes, viewOf(null), { ...run?.properties }) : run?.properties
        yield { text: kept, mark, style: run?.style ?? 0, properties: own ?? {} }
        kept = ''
      }
      if (isKept) kept += text.slice(done)
    }
    if (kept !== '') yield { text: kept, mark: '\r', style: 0, properties: {} }
  }
}

const NARROW = new TextDecoder('windows-1252')

function piecesOf(file: WordFile): Piece[] {
  const part = file.part(WORD_PARTS.pieces)
  const changes: DataView[] = []
  let at = 0
  for (; part.getUint8(at) === 1; at += 3 + part.getUint16(at + 1, true))
    changes.push(new DataView(part.buffer, part.byteOffset + at + 3, part.getUint16(at + 1, true)))
  const count = Math.floor((part.getUint32(at + 1, true) - 4) / 12)
  const start = at + 5
  if (count < 1 || start + 4 + count * 12 > part.byteLength) throw new RangeError('no pieces')
  const pieces = Array.from({ length: count }, (_, index): Piece => {
    const entry = start + (count + 1) * 4 + index * 8
    const address = part.getUint32(entry + 2, true)
    const change = part.getUint16(entry + 6, true)
    const wide = (address & 0x40000000) === 0
    return {
      start: part.getUint32(start + index * 4, true),
      end: part.getUint32(start + index * 4 + 4, true),
      offset: wide ? address : (address & 0x3fffffff) >>> 1,
      wide,
      changes: change & 1 ? (changes[change >>> 1] ?? null) : null,
    }
  })
  // Pieces never share text, so a document has no more characters than bytes.
  const total = pieces.reduce((sum, each) => sum + Math.max(0, each.end - each.start), 0)
  if (total > file.main.byteLength) throw new RangeError('pieces overlap')
  return pieces
}
