/** Marks a hard break; input cannot contain it because controls are removed. */
const BREAK = '\u0001'
/** Spaces and tabs of code in a cell, which are not collapsed. */
const [CODE_SPACE, CODE_TAB] = ['\u0002', '\u0003']
/** Index pages link to thousands of others. */
const MAX_LINKS = 1000
const MAX_URL_LENGTH = 2048

export type TextLink = { url: string; text: string }
type BlockText = { text: string; links: TextLink[] }

/** The text and links of a block while it is read; collapsed once at the end. */
export class RunningText {
  readonly #base: string | undefined
  #pieces: string[] = []
  #links: TextLink[] = []
  /** Addresses of open links; only the innermost gets the text. */
  readonly #open: (string | null)[] = []
  #linkStart = 0
  #formulaStart = 0
  #visiblePieces = 0
  /** The number or state of an item, until its first text. */
  #mark = ''
  #endsLabel = false

  constructor(base: string | undefined) {
    this.#base = base
  }

  add(text: string): void {
    if (isVisible(text)) this.#addMark()
    this.addUnmarked(text)
  }

  addUnmarked(text: string): void {
    if (this.#endsLabel && STARTS_WORD.test(text)) this.#pieces.push(' ')
    if (text !== '') this.#endsLabel = false
    this.#pieces.push(text)
    if (isVisible(text)) this.#visiblePieces++
  }

  /** Keeps spaces and line ends that are normally collapsed. */
  addLines(text: string): void {
    const lines = text.replaceAll(/\r\n?|\n/g, BREAK)
    this.add(lines.replaceAll(/[ \u00a0]/g, CODE_SPACE).replaceAll('\t', CODE_TAB))
  }

  /** Precedes the next visible text, if there is any. */
  mark(mark: string): void {
    this.#mark = mark
  }

  /** A label looks separate from the words around it. */
  startLabel(): void {
    if (!OPENS.test(this.#pieces.at(-1) ?? '')) this.#pieces.push(' ')
  }

  endLabel(): void {
    this.#endsLabel = true
  }

  break(): void {
    if (this.#pieces.length > 0) this.#pieces.push(BREAK)
  }

  openFormula(): void {
    this.#addMark()
    this.#formulaStart = this.#pieces.length
  }

  /** Drops the symbols of the current formula; the text that follows replaces them. */
  restartFormula(): void {
    this.#pieces.length = Math.min(this.#pieces.length, this.#formulaStart)
    this.#linkStart = Math.min(this.#linkStart, this.#formulaStart)
    this.#pieces.push(' ')
  }

  startLink(href: string | undefined): void {
    this.#endLink()
    this.#open.push(href === undefined ? null : absoluteAddress(href, this.#base))
  }

  closeLink(): void {
    this.#endLink()
    this.#open.pop()
  }

  get openLink(): string | null {
    return this.#open.at(-1) ?? null
  }

  /** Only increases: an equal value means that no visible text was added. */
  get visiblePieces(): number {
    return this.#visiblePieces
  }

  /** Returns the text and resets; an open link continues in the next block. */
  take(): BlockText {
    const { text, links } = this.takeCell()
    return { text: text.trimStart(), links }
  }

  /** Keeps the indentation of code at the beginning. */
  takeCell(): BlockText {
    if (this.#pieces.length === 0) return { text: '', links: [] }
    this.#endLink()
    const result = { text: collapseCell(this.#pieces.join('')), links: this.#links }
    this.#reset()
    return result
  }

  /** Keeps spaces and line ends, for code. */
  takeCode(): BlockText {
    this.#endLink()
    const result = { text: keepLines(this.#pieces.join('')), links: this.#links }
    this.#reset()
    return result
  }

  #addMark(): void {
    if (this.#mark !== '') this.#pieces.push(`${this.#mark} `)
    this.#mark = ''
  }

  #reset(): void {
    this.#pieces = []
    this.#links = []
    this.#linkStart = 0
    this.#formulaStart = 0
    this.#endsLabel = false
  }

  #endLink(): void {
    const url = this.#open.at(-1)
    if (url && this.#links.length < MAX_LINKS) {
      const text = collapse(this.#pieces.slice(this.#linkStart).join(''))
      if (text !== '') this.#links.push({ url, text })
    }
    this.#linkStart = this.#pieces.length
  }
}

/** The end of a text before which no space is missing. */
const OPENS = /[\s([{"'“‘«]$/u
const STARTS_WORD = /^[\p{L}\p{N}]/u

/** Text of only spaces and zero-width characters is not visible. */
export function isVisible(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  return /[^\s\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2060\ufeff]/.test(text)
}

/** One space between words, one newline per break; no controls, zero-width characters or lone surrogates. */
export function collapse(raw: string): string {
  return collapseCell(raw).trimStart()
}

function collapseCell(raw: string): string {
  if (!isVisible(raw)) return ''
  if (!NEEDS_COLLAPSING.test(raw)) return raw.trim().toWellFormed()
  const text = raw
    // biome-ignore lint/suspicious/noControlCharactersInRegex: \u0001 to \u0003 are kept for the next step.
    .replace(/[\u0000\u0004-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(LATIN_NON_JOINER, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: \u0001 to \u0003 are the break and code spaces.
    .replace(/[\s\u0001-\u0003]+/g, collapseSpace)
  return text.trim().replaceAll(CODE_SPACE, ' ').replaceAll(CODE_TAB, '\t').toWellFormed()
}

function collapseSpace(space: string, at: number, whole: string): string {
  if (at + space.length === whole.length) return ''
  const lineStart = space.lastIndexOf(BREAK) + 1
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches code spaces.
  const kept = space.slice(lineStart).replace(/[^\u0002\u0003]/g, '')
  if (lineStart > 0) return `\n${kept}`
  return kept || ' '
}

/** Joins no letters in Latin, where editors leave it behind. */
const LATIN_NON_JOINER = /(?<=\p{Script=Latin})\u200c/gu

/** Most texts need no collapsing. */
const NEEDS_COLLAPSING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  / {2}|[\u0000-\u001f\u007f-\u00a0\u00ad\u1680\u2000-\u200c\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]/

/** Keeps spaces and line ends, drops invisible characters. */
export function keepLines(raw: string): string {
  if (!isVisible(raw)) return ''
  const text = raw
    // biome-ignore lint/suspicious/noControlCharactersInRegex: \u0001 is the break.
    .replace(/\r\n?|\u0001/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters except tab and newline.
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\ufeff]/g, '')
    .replaceAll('\u00a0', ' ')
    .trimEnd()
  // Drops blank lines before the code, keeps the first line's indentation.
  const firstLine = text.lastIndexOf('\n', text.length - text.trimStart().length) + 1
  return text.slice(firstLine).toWellFormed()
}

/** Absolute if the page's address is known; null for anchors, scripts and data. */
export function absoluteAddress(href: string, base: string | undefined): string | null {
  const address = href.trim()
  if (address === '' || address.startsWith('#') || address.length > MAX_URL_LENGTH) return null
  const url = URL.parse(address, base)
  if (url) return LINK_SCHEMES.has(url.protocol) ? url.href : null
  return /^[a-z][a-z0-9+.-]*:/i.test(address) ? null : address.toWellFormed()
}

const LINK_SCHEMES = new Set(['http:', 'https:', 'mailto:', 'ftp:', 'tel:'])
