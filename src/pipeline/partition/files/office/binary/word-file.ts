import type { CompoundFile } from '../../../../../filetype/compound-file.ts'

/** The header of a Word document: where its parts are. */
export type WordFile = {
  /** The main stream, with the text and its formatting. */
  main: DataView
  table: DataView
  data: DataView
  /** Lengths of the main text, footnotes, endnotes and text boxes, each with the position where it starts. */
  stories: Record<'text' | 'footnotes' | 'endnotes' | 'textBoxes', { start: number; end: number }>
  /** A part of the table stream, by its number in the header. */
  part(index: number): DataView
}

export const WORD_PARTS = {
  styles: 1,
  characterRuns: 12,
  paragraphRuns: 13,
  pieces: 33,
  lists: 73,
  listUses: 74,
}

const WORD_97 = 0xc1
const ENCRYPTED = 0x100
const SECOND_TABLE = 0x200
/** Where the list of parts begins in the header: 8 bytes each, with offset and length. */
const PARTS_AT = 154

export function openWordFile(file: CompoundFile | null): WordFile | 'old' | 'password' {
  const main = viewOf(file?.stream('WordDocument') ?? null)
  if (!file || main.byteLength < PARTS_AT) throw new RangeError('no Word document')
  if (main.getUint16(2, true) < WORD_97) return 'old'
  const flags = main.getUint16(10, true)
  if (flags & ENCRYPTED) return 'password'
  const table = viewOf(file.stream(flags & SECOND_TABLE ? '1Table' : '0Table'))
  return {
    main,
    table,
    data: viewOf(file.stream('Data')),
    stories: storiesOf(main),
    part(index) {
      const at = PARTS_AT + index * 8
      const [start, length] = [main.getUint32(at, true), main.getUint32(at + 4, true)]
      return new DataView(table.buffer, table.byteOffset + start, Math.min(length, table.byteLength - start))
    },
  }
}

/** The texts follow each other: main, footnotes, headers, macros, comments, endnotes, text boxes. */
function storiesOf(main: DataView): WordFile['stories'] {
  let end = 0
  const [text, footnotes, , , , endnotes, textBoxes] = [76, 80, 84, 88, 92, 96, 100].map((at) => {
    const start = end
    end += main.getUint32(at, true)
    return { start, end }
  })
  return { text: text!, footnotes: footnotes!, endnotes: endnotes!, textBoxes: textBoxes! }
}

export function viewOf(bytes: Uint8Array | null): DataView {
  return bytes
    ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new DataView(new ArrayBuffer(0))
}
