import { cellHtml, tableHtml, tableRows } from '../partition/table.ts'
import { RowSpans } from './row-spans.ts'
import { type Piece, splitText } from './split-text.ts'

type TablePiece = Piece & { html: string }
type Limits = { max: number; overlap: number }
type Line = { text: string; html: string; from: number }

/** As a multiple of `max`. A header of empty cells can have any amount of markup. */
const MAX_HEADER_HTML = 4

/** Cuts between rows and repeats the header, unless it takes half a part. Cuts overlong rows like text. */
export function* splitTable(text: string, html: string | undefined, limits: Limits): Generator<TablePiece> {
  const { max, overlap } = limits
  const { header, lines } = pairRows(text, html)
  const head = header.map((line) => line.text).join('\n')
  const markup = header.reduce((sum, line) => sum + line.html.length, 0)
  // With the line end after it, at most half of a part.
  const isShort = head.length <= max / 2 - 2 && markup <= max * MAX_HEADER_HTML
  const isRepeated = header.length > 0 && isShort
  const headHtml = isRepeated ? header.map((line) => line.html) : []
  const maxBodyLength = isRepeated ? max - head.length - 1 : max
  const withHeader = (body: string) => (isRepeated ? `${head}\n${body}` : body)

  const spans = new RowSpans(max)
  let rows: Line[] = []
  /** Of the rows and the line ends after them. */
  let length = 0
  const currentPiece = (): TablePiece => ({
    text: withHeader(rows.map((row) => row.text).join('\n')),
    html: tableHtml(
      headHtml,
      rows.map((row) => row.html),
    ),
    from: rows[0]?.from ?? 0,
    to: (rows.at(-1)?.from ?? 0) + (rows.at(-1)?.text.length ?? 0),
  })

  for (const line of isRepeated ? lines : [...header, ...lines]) {
    if (rows.length > 0 && length + line.text.length > maxBodyLength) {
      yield currentPiece()
      rows = []
      length = 0
    }
    const isWhole = line.text.length <= maxBodyLength
    if (isWhole) {
      rows.push(rows.length === 0 ? { ...line, html: spans.startPart(line.html) } : line)
      length += line.text.length + 1
    }
    spans.advance(line.html)
    if (isWhole) continue
    // The header takes up to half of each part.
    const rowOverlap = isRepeated ? Math.min(overlap, Math.floor(maxBodyLength / 4)) : overlap
    for (const piece of splitText(line.text, maxBodyLength, rowOverlap)) {
      yield {
        text: withHeader(piece.text),
        html: tableHtml(headHtml, [`<tr><td>${cellHtml(piece.text)}</td></tr>`]),
        from: line.from + piece.from,
        to: line.from + piece.to,
      }
    }
  }
  if (rows.length > 0) yield currentPiece()
}

/** Row n of the HTML is line n of the text; else lines become rows. */
function pairRows(text: string, html: string | undefined): { header: Line[]; lines: Line[] } {
  const { header, body } = html === undefined ? { header: [], body: [] } : tableRows(html)
  const htmlRows = [...header, ...body]
  const texts = text.split('\n')
  const matches = htmlRows.length === texts.length
  let from = 0
  const lines = texts.map((line, index): Line => {
    const rowHtml = matches ? htmlRows[index] : undefined
    const row = { text: line, html: rowHtml ?? `<tr><td>${cellHtml(line)}</td></tr>`, from }
    from += line.length + 1
    return row
  })
  const headers = matches ? header.length : 0
  return { header: lines.slice(0, headers), lines: lines.slice(headers) }
}
