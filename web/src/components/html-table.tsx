import { useMemo } from 'react'
import { shellTexts } from '../texts/shell.ts'
import classes from './html-table.module.css'
import { sanitizedBody } from './sanitize-html.ts'

type Props = { html: string; label: string; fallback: string }

/** A table of a document, rebuilt from its cells; none of its HTML reaches the page. */
export function HtmlTable({ html, label, fallback }: Props) {
  const rows = useMemo(() => rowsOf(html), [html])
  if (rows.length === 0)
    return (
      <p dir="auto" className={classes.fallback}>
        {fallback}
      </p>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a long document would have too many regions.
    <div className={classes.frame} role="group" aria-label={shellTexts.table.scroll(label)} tabIndex={0}>
      <table dir="auto" className={classes.table}>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the table is fixed.
            <tr key={row}>
              {cells.map(({ text, header, colSpan, rowSpan }, column) =>
                header ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the table is fixed.
                  <th key={column} scope={header} colSpan={colSpan} rowSpan={rowSpan}>
                    <div className={classes.cell}>{text}</div>
                  </th>
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the table is fixed.
                  <td key={column} colSpan={colSpan} rowSpan={rowSpan}>
                    <div className={classes.cell}>{text}</div>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type Cell = { text: string; header: 'col' | 'row' | undefined; colSpan: number; rowSpan: number }

/** The rows of the first table; nested tables become text. */
function rowsOf(html: string): Cell[][] {
  const table = sanitizedBody(html).querySelector('table')
  return [...(table?.rows ?? [])].map(({ cells }) => {
    const isHead = [...cells].every(isHeader)
    return [...cells].map((cell) => ({
      text: textOf(cell),
      header: isHeader(cell) ? (isHead ? 'col' : 'row') : undefined,
      colSpan: cell.colSpan,
      rowSpan: cell.rowSpan,
    }))
  })
}

function isHeader({ tagName }: Element): boolean {
  return tagName === 'TH'
}

/** Keeps the lines of a cell. */
function textOf(cell: Element): string {
  for (const end of cell.querySelectorAll('br, p, li, div, tr')) end.append('\n')
  return (cell.textContent ?? '')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim()
}
