import type { Block } from '../../blocks.ts'
import { collapse } from '../../running-text.ts'
import { textType } from '../../sentence.ts'
import { itemMetadata } from './item-metadata.ts'
import type { Item, PageLink, Row } from './page.ts'
import { spaceBetween } from './space-between.ts'

/** Font size of the body text, and the minimum size of each heading level, largest first. */
export type FontSizes = { body: number; headings: number[] }

type Line = {
  text: string
  x: number
  right: number
  y: number
  size: number
  bold: boolean
  items: Item[]
}

const MAX_HEADING_LENGTH = 200
/** OCR measures sizes, so they vary from line to line. */
const SCALES = { text: { larger: 1.12, same: 0.97 }, ocr: { larger: 1.25, same: 0.85 } }

/** The most frequent size is the body's; similar larger sizes form one heading level. */
export function sizesOf(rows: Row[], source: 'text' | 'ocr'): FontSizes {
  const charactersBySize = new Map<number, number>()
  for (const { segments } of rows)
    for (const { size, text } of segments)
      charactersBySize.set(roundToHalf(size), (charactersBySize.get(roundToHalf(size)) ?? 0) + text.length)
  const body = [...charactersBySize].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0])[0]
  const { larger, same } = SCALES[source]
  const headings: { max: number; min: number }[] = []
  for (const size of [...charactersBySize.keys()]
    .filter((each) => each > body * larger)
    .sort((a, b) => b - a)) {
    const last = headings.at(-1)
    if (last && size > last.max * same) last.min = size
    else headings.push({ max: size, min: size })
  }
  return { body, headings: headings.map(({ min }) => min) }
}

/** Lines in reading order → headings, list items and paragraphs. */
export function paragraphsOf(rows: Row[], sizes: FontSizes, links: PageLink[]): Block[] {
  const lines = rows.map(lineOf)
  const spacing = usualSpacing(lines)
  const blocks: Line[][] = []
  for (const line of lines) {
    const last = blocks.at(-1)
    const previous = last?.at(-1)
    if (last && previous && continues({ line, previous, first: last[0]!, spacing })) last.push(line)
    else blocks.push([line])
  }
  return blocks.map((group) => blockOf(group, sizes, links))
}

function lineOf({ y, segments }: Row): Line {
  const [first] = segments
  return {
    text: segments.map(({ text }) => text.trim()).join(' '),
    x: Math.min(...segments.map(({ x }) => x)),
    right: Math.max(...segments.map(({ right }) => right)),
    y,
    size: first?.size ?? 0,
    bold: segments.every(({ bold }) => bold),
    items: segments.flatMap(({ items }) => items),
  }
}

/** The usual distance between baselines, in font sizes. */
function usualSpacing(lines: Line[]): number {
  const gaps = lines
    .slice(1)
    .map(({ y, size }, index) => (y - (lines[index]?.y ?? 0)) / size)
    .filter((gap) => gap > 0.8 && gap < 2.5)
    .sort((a, b) => a - b)
  return gaps[Math.floor(gaps.length / 3)] ?? 1.2
}

function continues({
  line,
  previous,
  first,
  spacing,
}: {
  line: Line
  previous: Line
  first: Line
  spacing: number
}): boolean {
  if (markerOf(line.text) !== null) return false
  if (Math.abs(line.size - previous.size) > previous.size * 0.1 || line.bold !== previous.bold) return false
  const gap = (line.y - previous.y) / line.size
  // At a new column, an unfinished sentence continues.
  if (gap <= 0) return !/[.!?:…]["'”’»)]*$/.test(previous.text) && /^\p{Ll}/u.test(line.text)
  if (gap > spacing * 1.3) return false
  // An indented line after a finished sentence starts a paragraph.
  const isIndented = line.x - previous.x > line.size && markerOf(first.text) === null
  return !(isIndented && /[.!?:…]["'”’»)]*$/.test(previous.text))
}

/** OCR reads some bullets as a plus or quotation mark. */
const BULLET = /^[+«•◦▪▫‣⁃●○■□➢➤✓·*–—\uf0b7\uf0a7\ue00c-]\s+(?=\S)/u
const NUMBER = /^(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s+(?=\S)/i

/** The marker of a list item; the text keeps numbers but not bullets. */
function markerOf(text: string): RegExp | null {
  if (BULLET.test(text)) return BULLET
  return NUMBER.test(text) ? NUMBER : null
}

function blockOf(lines: Line[], sizes: FontSizes, links: PageLink[]): Block {
  const first = lines[0]!
  const text = collapse(joinLines(lines))
  const linksHere = links.filter(({ box }) => lines.some((line) => overlaps(line, box)))
  const common = {
    links: linksHere.map(({ url, text: words }) => ({ url, text: words || text })),
    ...itemMetadata(lines.flatMap(({ items }) => items)),
  }
  const level = headingLevel(first, { text, lines: lines.length }, sizes)
  if (level > 0) return { type: 'Title', depth: level, text, ...common }
  const marker = markerOf(text)
  if (marker)
    return {
      type: 'ListItem',
      depth: 1,
      text: marker === BULLET ? text.replace(BULLET, '') : text,
      ...common,
    }
  return { type: textType(text), text, ...common }
}

/** Larger than the body, or one bold line that is not a sentence. */
function headingLevel(
  { size, bold }: Line,
  { text, lines }: { text: string; lines: number },
  sizes: FontSizes,
): number {
  if (text.length > MAX_HEADING_LENGTH || !/\p{L}/u.test(text)) return 0
  const rank = sizes.headings.findIndex((min) => roundToHalf(size) >= min)
  if (rank >= 0) return Math.min(6, rank + 1)
  const isBoldLine =
    bold && lines === 1 && text.length < 80 && !/[.,;]$/.test(text) && roundToHalf(size) >= sizes.body
  return isBoldLine ? Math.min(6, sizes.headings.length + 1) : 0
}

/** Rejoins words hyphenated at line ends. */
function joinLines(lines: Line[]): string {
  return lines.reduce((text, { text: next }) => {
    if (/\p{Ll}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next
    return text === '' ? next : text + spaceBetween(text, next) + next
  }, '')
}

function overlaps({ x, right, y, size }: Line, { left, top, right: end, bottom }: PageLink['box']): boolean {
  return left < right && end > x && top < y && bottom > y - size * 0.8
}

function roundToHalf(size: number): number {
  return Math.round(size * 2) / 2
}
