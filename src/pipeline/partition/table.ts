import type { Attributes } from './markup.ts'

type Row = { html: string; text: string; header: boolean }

/** Row n of `html` is line n of `text`. Leading rows in `thead` or of header cells form the header. */
export class TableRows {
  readonly #rows: Row[] = []
  #html = ''
  #text: string[] = []
  #header = true
  #head = false

  set head(inside: boolean) {
    this.#head = inside
  }

  cell(name: string, attributes: Attributes, text: string): void {
    const tag = name === 'th' ? 'th' : 'td'
    this.#html += `<${tag}${span('colspan', attributes)}${span('rowspan', attributes)}>${cellHtml(text)}</${tag}>`
    if (text !== '') this.#text.push(text.trimStart().replaceAll(/\s+/g, ' '))
    if (tag === 'td' && !this.#head) this.#header = false
  }

  endRow(): void {
    if (this.#text.length > 0) {
      this.#rows.push({
        html: `<tr>${this.#html}</tr>`,
        text: this.#text.join(' '),
        header: this.#header,
      })
    }
    this.#html = ''
    this.#text = []
    this.#header = true
  }

  finish(): { text: string; html: string } | null {
    this.endRow()
    if (this.#rows.length === 0) return null
    const body = this.#rows.findIndex((row) => !row.header)
    const headers = body === -1 ? 0 : body
    return {
      text: this.#rows.map((row) => row.text).join('\n'),
      html: tableHtml(
        this.#rows.slice(0, headers).map((row) => row.html),
        this.#rows.slice(headers).map((row) => row.html),
      ),
    }
  }
}

/** Rows are complete `<tr>…</tr>`. */
export function tableHtml(header: string[], body: string[]): string {
  const head = header.length > 0 ? `<thead>${header.join('')}</thead>` : ''
  return `<table>${head}<tbody>${body.join('')}</tbody></table>`
}

/** Rows of `tableHtml` output; cells hold only `<br/>`, so `</tr>` ends a row. */
export function tableRows(html: string): { header: string[]; body: string[] } {
  const bodyStart = html.indexOf('<tbody>')
  const rows = (part: string) =>
    part
      .split('</tr>')
      .slice(0, -1)
      .map((row) => `${row.slice(row.indexOf('<tr>'))}</tr>`)
  return { header: rows(html.slice(0, bodyStart)), body: rows(html.slice(bodyStart)) }
}

/** Escaped text; line ends become `<br/>`. */
export function cellHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\n', '<br/>')
}

function span(name: 'colspan' | 'rowspan', attributes: Attributes): string {
  const count = Number(attributes[name])
  return Number.isInteger(count) && count > 1 && count <= 1000 ? ` ${name}="${count}"` : ''
}
