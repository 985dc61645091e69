/** A hard break in text that is still to be collapsed; pages cannot hold it, controls are taken out anyway. */
const BREAK = '\u0001'
/** An index page may link to thousands of others; past this their addresses stop being about the text. */
const MOST_LINKS = 1000
const LONGEST_URL = 2048

export type TextLink = { url: string; text: string }
export type TakenText = { text: string; links: TextLink[] }

/**
 * The text of one block while it is being read: pieces as they come, with the links among them. Collapsing
 * happens once, when the block is taken.
 */
export class RunningText {
  readonly #base: string | undefined
  #pieces: string[] = []
  #links: TextLink[] = []
  /** Addresses of the links that are open; only the innermost gets the text. */
  readonly #open: (string | null)[] = []
  #linkStart = 0
  #formulaStart = 0
  #visiblePieces = 0

  constructor(base: string | undefined) {
    this.#base = base
  }

  add(text: string): void {
    this.#pieces.push(text)
    if (isVisible(text)) this.#visiblePieces++
  }

  /** Text whose line ends count, in a place where others do not. */
  addLines(text: string): void {
    this.add(text.replaceAll(/\r\n?|\n/g, BREAK))
  }

  break(): void {
    if (this.#pieces.length > 0) this.#pieces.push(BREAK)
  }

  openFormula(): void {
    this.#formulaStart = this.#pieces.length
  }

  /** What is told from here on stands for the formula as a whole, in place of its symbols. */
  restartFormula(): void {
    this.#pieces.length = Math.min(this.#pieces.length, this.#formulaStart)
    this.#linkStart = Math.min(this.#linkStart, this.#formulaStart)
    this.#pieces.push(' ')
  }

  openLink(href: string | undefined): void {
    this.#endLink()
    this.#open.push(href === undefined ? null : absoluteAddress(href, this.#base))
  }

  closeLink(): void {
    this.#endLink()
    this.#open.pop()
  }

  /** Only grows: two equal answers mean that nothing visible came between them. */
  get visiblePieces(): number {
    return this.#visiblePieces
  }

  /** Everything so far, and starts anew; a link that is still open goes on in the next block. */
  take(): TakenText {
    if (this.#pieces.length === 0) return { text: '', links: [] }
    this.#endLink()
    const taken = { text: collapse(this.#pieces.join('')), links: this.#links }
    this.#start()
    return taken
  }

  /** The same for code, where spaces and line ends are part of the text. */
  takeCode(): TakenText {
    this.#endLink()
    const taken = { text: keepLines(this.#pieces.join('')), links: this.#links }
    this.#start()
    return taken
  }

  #start(): void {
    this.#pieces = []
    this.#links = []
    this.#linkStart = 0
    this.#formulaStart = 0
  }

  #endLink(): void {
    const url = this.#open.at(-1)
    if (url && this.#links.length < MOST_LINKS) {
      const text = collapse(this.#pieces.slice(this.#linkStart).join(''))
      if (text !== '') this.#links.push({ url, text })
    }
    this.#linkStart = this.#pieces.length
  }
}

/** Whether a reader would see anything: spaces and zero-width characters alone are nothing. */
export function isVisible(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
  return /[^\s\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2060\ufeff]/.test(text)
}

/** One space between words, one newline at a break, no controls, no soft hyphens, no half of a surrogate pair. */
export function collapse(raw: string): string {
  if (!isVisible(raw)) return ''
  if (!UNTIDY.test(raw)) return raw.trim().toWellFormed()
  const text = raw
    // biome-ignore lint/suspicious/noControlCharactersInRegex: \u0001 is the break, kept for the next step.
    .replace(/[\u0000\u0002-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u2060\ufeff]/g, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: \u0001 is the break.
    .replace(/[\s\u0001]+/g, (space) => (space.includes(BREAK) ? '\n' : ' '))
  return text.trim().toWellFormed()
}

/** Whether there is anything to collapse at all; in most texts of a page there is not. */
const UNTIDY =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are part of what is looked for.
  / {2}|[\u0000-\u001f\u007f-\u00a0\u00ad\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]/

/** Spaces and line ends as they are, without what no reader sees. */
export function keepLines(raw: string): string {
  if (!isVisible(raw)) return ''
  const text = raw
    // biome-ignore lint/suspicious/noControlCharactersInRegex: \u0001 is the break.
    .replace(/\r\n?|\u0001/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: controls but tab and newline.
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g, '')
    .replaceAll('\u00a0', ' ')
    .trimEnd()
  // Blank lines before the code go, the first line's indentation stays.
  const firstLine = text.lastIndexOf('\n', text.length - text.trimStart().length) + 1
  return text.slice(firstLine).toWellFormed()
}

/** Absolute where the page's address is known. Places on the same page, scripts and data are no links. */
export function absoluteAddress(href: string, base: string | undefined): string | null {
  const written = href.trim()
  if (written === '' || written.startsWith('#') || written.length > LONGEST_URL) return null
  const url = URL.parse(written, base)
  if (url) return LINK_SCHEMES.has(url.protocol) ? url.href : null
  return /^[a-z][a-z0-9+.-]*:/i.test(written) ? null : written.toWellFormed()
}

const LINK_SCHEMES = new Set(['http:', 'https:', 'mailto:', 'ftp:', 'tel:'])
