import { childrenOf, PPT, type PptRecord } from './ppt-records.ts'

/** What a text is on its slide. */
type TextKind = 'title' | 'subtitle' | 'body' | 'notes' | 'other'
export type PptText = { kind: TextKind; paragraphs: { text: string; bullet: boolean }[] }

const KINDS: TextKind[] = ['title', 'body', 'notes', 'other', 'other', 'subtitle', 'title', 'body', 'body']
const NARROW = new TextDecoder('latin1')

/** The texts of a text box or of a slide in the outline: each begins with its kind. */
export function textsOf(record: { data: DataView }): PptText[] {
  const texts: PptText[] = []
  for (const child of childrenOf(record)) {
    const { type, data } = child
    const current = texts.at(-1)
    if (type === PPT.TEXT_KIND) texts.push({ kind: kindOf(data), paragraphs: [] })
    else if (current && (type === PPT.TEXT || type === PPT.NARROW_TEXT))
      current.paragraphs = paragraphsOf(letters(child), current.kind)
    else if (current && type === PPT.TEXT_STYLE) applyBullets(current, data)
  }
  return texts
}

function kindOf(data: DataView): TextKind {
  return data.byteLength >= 4 ? (KINDS[data.getUint32(0, true)] ?? 'other') : 'other'
}

function letters({ type, data }: PptRecord): string {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return type === PPT.TEXT ? bytes.toString('utf16le') : NARROW.decode(bytes)
}

function paragraphsOf(text: string, kind: TextKind): PptText['paragraphs'] {
  return text.split('\r').map((line) => ({
    text: line.replaceAll('\v', '\n').replaceAll(/(?![\t\n])\p{Cc}/gu, ''),
    bullet: kind === 'body',
  }))
}

/** Flags of the paragraph properties before and after the tabs; each takes two bytes, and the colour four. */
const BEFORE_TABS = [0x80, 0x10, 0x40, 0x20, 0x800, 0x1000, 0x2000, 0x4000, 0x100, 0x400, 0x8000]
const AFTER_TABS = [0x10000, 0xe0000, 0x200000]
const COLOR = 0x20

/** Paragraph properties cover a number of characters; only bullets matter. */
function applyBullets({ paragraphs }: PptText, data: DataView): void {
  let at = 0
  let index = 0
  while (at + 10 <= data.byteLength && index < paragraphs.length) {
    let characters = data.getUint32(at, true)
    const mask = data.getUint32(at + 6, true)
    at += 10
    const bullet = mask & 0xf && at + 2 <= data.byteLength ? data.getUint16(at, true) & 1 : null
    at += (mask & 0xf ? 2 : 0) + bytesOf(BEFORE_TABS, mask)
    if (mask & 0x100000) at += 2 + (at + 2 <= data.byteLength ? data.getUint16(at, true) * 4 : 0)
    at += bytesOf(AFTER_TABS, mask)
    for (; index < paragraphs.length && characters > 0; index++) {
      const paragraph = paragraphs[index]!
      if (bullet !== null && mask & 1) paragraph.bullet = bullet === 1
      characters -= paragraph.text.length + 1
    }
  }
}

function bytesOf(flags: number[], mask: number): number {
  const present = flags.filter((flag) => mask & flag)
  return present.length * 2 + (present.includes(COLOR) ? 2 : 0)
}
