import { escapeText, quoteAttribute } from './entities.ts'

/** Removes only certain markdown marks; all other text is kept. */
export function inlineHtml(text: string): string {
  const block = new Inline(text)
  while (block.at < text.length) block.step()
  return block.pieces.join('')
}

/** One pass: writes a mark first and removes it when its end follows. */
class Inline {
  readonly pieces: string[] = []
  at = 0
  readonly #text: string
  readonly #codeEnds: Map<number, number>
  /** The last open mark of each kind, such as `**`, as an index in `pieces`. */
  readonly #marks = new Map<string, number>()
  readonly #brackets: number[] = []

  constructor(text: string) {
    this.#text = text
    this.#codeEnds = codeEndsOf(text)
  }

  step(): void {
    const char = this.#text.charAt(this.at)
    if (char === '`') this.#code()
    else if (char === '*' || char === '_' || char === '~') this.#mark(char)
    else if (char === '[' || this.#text.startsWith('![', this.at)) this.#bracket(char === '[' ? '[' : '![')
    else if (char === ']') this.#closeBracket()
    else if (char === '<') this.#tag()
    else if (char === '\\' && PUNCTUATION.includes(this.#text.charAt(this.at + 1))) this.#escape()
    else this.#plain()
  }

  #write(piece: string, length: number): void {
    this.pieces.push(piece)
    this.at += length
  }

  #plain(): void {
    let end = this.at + 1
    while (end < this.#text.length && !SPECIAL.includes(this.#text.charAt(end))) end++
    // Entities stay: a browser decodes them in markdown too.
    const text = this.#text.slice(this.at, end).replaceAll('>', '&gt;')
    this.#write(text, end - this.at)
  }

  #escape(): void {
    this.#write(escapeText(this.#text.charAt(this.at + 1)), 2)
  }

  #code(): void {
    const length = runLength(this.#text, this.at)
    const end = this.#codeEnds.get(this.at)
    if (end === undefined) this.#write('`'.repeat(length), length)
    else this.#write(escapeText(this.#text.slice(this.at + length, end)), end + length - this.at)
  }

  /** Emphasis around words. Marks inside words or without an end are text. */
  #mark(char: string): void {
    const length = runLength(this.#text, this.at)
    const mark = char.repeat(length)
    const before = this.#text.charAt(this.at - 1)
    const after = this.#text.charAt(this.at + length)
    const open = this.#marks.get(mark)
    const isKnown = char === '~' ? length === 2 : length <= 3
    const isEnd = open !== undefined && !isSpace(before) && !isWord(after)
    const isStart = !isWord(before) && !isSpace(after)
    if (isKnown && isEnd) {
      this.pieces[open] = ''
      this.#marks.delete(mark)
    } else if (isKnown && isStart) this.#marks.set(mark, this.pieces.length)
    this.#write(isKnown && isEnd ? '' : mark, length)
  }

  #bracket(bracket: '[' | '!['): void {
    this.#brackets.push(this.pieces.length)
    this.#write(bracket, bracket.length)
  }

  /** Shows the text of a link or image, not its address. */
  #closeBracket(): void {
    const open = this.#brackets.pop()
    const url = open === undefined ? null : urlAt(this.#text, this.at + 1)
    if (open === undefined || url === null) {
      this.#write(']', 1)
      return
    }
    const isImage = this.pieces[open] === '!['
    this.pieces[open] = isImage ? '' : `<a href="${quoteAttribute(url)}">`
    this.#write(isImage ? '' : '</a>', url.length + 3)
  }

  /** Only line breaks are certain to be tags: `List<Item>` is text. */
  #tag(): void {
    const tag = LINE_BREAKS.find((each) => this.#text.startsWith(each, this.at))
    this.#write(tag ? '<br>' : '&lt;', tag?.length ?? 1)
  }
}

const SPECIAL = '`*_~[]!<\\'
const PUNCTUATION = '\\`*_{}[]()#+-.!|<>~"\'&$%,/:;=?@^'.split('')
const LINE_BREAKS = ['<br>', '<br/>', '<br />']

/** How often the character is repeated. */
function runLength(text: string, from: number): number {
  let end = from + 1
  while (text[end] === text[from]) end++
  return end - from
}

/** Code ends at the next run of equally many backticks. */
function codeEndsOf(text: string): Map<number, number> {
  const ends = new Map<number, number>()
  const open = new Map<number, number>()
  for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at)) {
    const length = runLength(text, at)
    const before = open.get(length)
    if (before !== undefined) ends.set(before, at)
    open.set(length, at)
    at += length
  }
  return ends
}

/** `(url)` at an offset. Stops at brackets to take linear time. */
function urlAt(text: string, from: number): string | null {
  if (text[from] !== '(') return null
  let end = from + 1
  while (end < text.length && !'()[]<> \t\n'.includes(text.charAt(end))) end++
  return text[end] === ')' ? text.slice(from + 1, end) : null
}

function isWord(char: string): boolean {
  return /[\p{L}\p{N}]/u.test(char)
}

function isSpace(char: string): boolean {
  return char.trim() === ''
}
