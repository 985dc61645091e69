import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FilesResult } from '../files.ts'

const PAGE = join(import.meta.dirname, '../../docs/benchmarks.md')
const [BEGIN, END] = ['<!-- files: written by npm run bench:files -->', '<!-- files: end -->']
const COLUMNS = ['recall', 'precision', 'order', 'headings', 'tables'] as const

/** Replaces the table of files in docs/benchmarks.md. */
export async function writeFilesTable(result: FilesResult): Promise<void> {
  const page = await readFile(PAGE, 'utf8')
  const [before = '', rest = ''] = page.split(BEGIN)
  const [, after = ''] = rest.split(END)
  await writeFile(PAGE, [before, BEGIN, '\n', tableOf(result), END, after].join(''))
}

function tableOf({ date, programs, notes, formats }: FilesResult): string {
  const versions = [...Object.entries(notes), ...programs.map((program) => [program, ''])]
  const run = `${date.slice(0, 10)}. ${versions.map((each) => each.join(' ').trim()).join('; ')}.`
  const rows = Object.entries(formats).flatMap(([format, byTool]) =>
    Object.entries(byTool).map(([tool, { read, of, scores }]) => {
      const cells = COLUMNS.map((name) => (read > 0 ? (scores[name]?.toFixed(3) ?? '') : ''))
      return [format.toUpperCase(), tool, read === of ? `${of}` : `${read} of ${of}`, ...cells]
    }),
  )
  const titles = [
    'format',
    'tool',
    'files read',
    'words kept',
    'words that belong',
    'in order',
    'headings',
    'tables',
  ]
  const lines = [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `${run}\n\n${lines.join('\n')}\n`
}
