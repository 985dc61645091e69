import { escapeText } from './entities.ts'
import { inlineHtml } from './markdown-inline.ts'

/** A line of markdown without its marks; `number` is that of an item. */
type Line = { tag: 'p' | 'li' | `h${number}`; text: string; number?: number }

/** The visible text of markdown, block by block, in linear time unlike full parsers. */
export function markdownHtml(markdown: string): string {
  const blocks = new Blocks()
  let fence: string | null = null
  for (const line of markdown.split('\n')) {
    const text = line.trim()
    if (fence !== null) {
      if (isFenceEnd(text, fence)) fence = null
      else blocks.code(line)
      continue
    }
    fence = fenceOf(text)
    if (fence !== null) blocks.end()
    else blocks.line(withoutQuotes(text))
  }
  blocks.end()
  return blocks.html === '' ? '' : `<div>${blocks.html}</div>`
}

/** Joins the lines of a block before rendering it. */
class Blocks {
  html = ''
  #tag: Line['tag'] | 'pre' | 'table' | '' = ''
  #lines: string[] = []
  #items: string[] = []
  #list = ''

  line(text: string): void {
    const underlined = this.#tag === 'p' ? underlineOf(text) : null
    if (text === '') this.#endText()
    else if (underlined) {
      this.#tag = underlined
      this.#endText()
    } else if (isRule(text)) this.end()
    else if (text.startsWith('|')) this.#row(text)
    else this.#add(lineOf(text))
  }

  code(line: string): void {
    if (this.#tag !== 'pre') this.#start('pre')
    this.#lines.push(line)
  }

  end(): void {
    this.#endText()
    if (this.#items.length > 0)
      this.html += `${this.#list}${this.#items.join('')}</${this.#list.slice(1, 3)}>`
    this.#items = []
    this.#list = ''
  }

  #add({ tag, text, number }: Line): void {
    if (tag === 'li') this.#startList(number)
    const shouldContinue = tag === 'p' && (this.#tag === 'p' || this.#tag === 'li')
    if (!shouldContinue) this.#start(tag)
    this.#lines.push(text)
    if (tag.startsWith('h')) this.#endText()
  }

  /** The number of the first item decides. */
  #startList(number: number | undefined): void {
    const isNumbered = this.#list.startsWith('<ol')
    if (this.#list !== '' && isNumbered !== (number !== undefined)) this.end()
    if (this.#list === '') this.#list = number === undefined ? '<ul>' : `<ol start="${number}">`
  }

  #row(text: string): void {
    if (this.#tag !== 'table') this.#start('table')
    if (isDelimiter(text)) return
    const cells = text.slice(1, text.endsWith('|') && text.length > 1 ? -1 : undefined).split('|')
    this.#lines.push(`<tr>${cells.map((cell) => `<td>${inlineHtml(cell.trim())}</td>`).join('')}</tr>`)
  }

  #start(tag: Line['tag'] | 'pre' | 'table'): void {
    if (tag === 'li') this.#endText()
    else this.end()
    this.#tag = tag
  }

  #endText(): void {
    const text = this.#lines.join('\n')
    if (this.#tag === 'li') this.#items.push(`<li>${inlineHtml(text)}</li>`)
    else if (this.#tag === 'pre') this.html += `<pre><code>${escapeText(text)}</code></pre>`
    else if (this.#tag === 'table') this.html += `<table>${this.#lines.join('')}</table>`
    else if (this.#tag !== '') this.html += `<${this.#tag}>${inlineHtml(text)}</${this.#tag}>`
    this.#tag = ''
    this.#lines = []
  }
}

function lineOf(text: string): Line {
  const [, marks = '', heading = ''] = /^(#{1,6})\s(.*)$/.exec(text) ?? []
  if (marks !== '') return { tag: `h${marks.length}`, text: withoutEnd(heading.trim()) }
  const item = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.exec(text)
  if (!item) return { tag: 'p', text }
  const number = Number.parseInt(item[0], 10)
  const shown = text
    .slice(item[0].length)
    .trim()
    .replace(/^\[([ xX])\](?=\s)/, (_, mark) => (mark === ' ' ? '☐' : '☑'))
  return { tag: 'li', text: shown, ...(Number.isNaN(number) ? {} : { number }) }
}

/** A heading may end with its opening marks. */
function withoutEnd(heading: string): string {
  let end = heading.length
  while (heading[end - 1] === '#') end--
  return end === 0 || heading[end - 1] === ' ' ? heading.slice(0, end).trim() : heading
}

function withoutQuotes(text: string): string {
  let at = 0
  while (text[at] === '>' || (at > 0 && text[at] === ' ')) at++
  return text.slice(at)
}

function fenceOf(text: string): string | null {
  const mark = text.startsWith('```') ? '`' : '~'
  let length = 0
  while (text[length] === mark) length++
  // ```a``` in one line is text.
  return length >= 3 && !text.slice(length).includes('`') ? mark.repeat(length) : null
}

function isFenceEnd(text: string, fence: string): boolean {
  return text.startsWith(fence) && consistsOf(text, fence.charAt(0))
}

function underlineOf(text: string): 'h1' | 'h2' | null {
  if (text === '') return null
  if (consistsOf(text, '=')) return 'h1'
  return consistsOf(text, '-') ? 'h2' : null
}

function isRule(text: string): boolean {
  const marks = text.replaceAll(' ', '')
  return marks.length >= 3 && ['-', '*', '_'].some((mark) => consistsOf(marks, mark))
}

function isDelimiter(row: string): boolean {
  return row.includes('-') && consistsOf(row, '|-: ')
}

function consistsOf(text: string, marks: string): boolean {
  for (const each of text) if (!marks.includes(each)) return false
  return true
}
