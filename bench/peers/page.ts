import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Comparison } from './compare.ts'
import { plot, shown } from './plot.ts'
import type { MeasureName, Spread } from './summary.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const [BEGIN, END] = ['<!-- peers: written by npm run bench:peers -->', '<!-- peers: end -->']

/** Draws the plot and replaces the tables in docs/benchmarks.md. */
export async function writePage(comparison: Comparison): Promise<void> {
  await writeFile(join(DOCS, 'benchmarks.svg'), plot(comparison))
  const path = join(DOCS, 'benchmarks.md')
  const page = await readFile(path, 'utf8')
  const [before = '', rest = ''] = page.split(BEGIN)
  const [, after = ''] = rest.split(END)
  await writeFile(path, [before, BEGIN, '\n', tablesOf(comparison), END, after].join(''))
  console.log('wrote docs/benchmarks.md and docs/benchmarks.svg')
}

export function tablesOf(comparison: Comparison): string {
  const { date, pages, rounds, isolated, latencies, versions } = comparison
  const machine = comparison.machine as { cpu: string; cores: number }
  const network = isolated
    ? 'in a network namespace with loopback only'
    : 'with a guard against other addresses'
  const listed = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const run = `${date.slice(0, 10)}, ${machine.cores} cores (${machine.cpu}), ${pages} pages, median of ${rounds} (lowest–highest), ${network}. ${listed.join(', ')}.`
  return `${[run, ...latencies.map((latency) => measureTable(comparison, latency)), sevenPagesTable(comparison)].join('\n\n')}\n`
}

const COLUMNS: [string, MeasureName][] = [
  ['pages/s', 'pages_per_second'],
  ['pages per processor second', 'pages_per_cpu_second'],
  ['requests per page', 'requests_per_page'],
  ['peak MB', 'peak_mb'],
  ['pages written', 'pages'],
  ['elements', 'elements'],
]

function measureTable({ measures }: Comparison, latency: number): string {
  const rows = Object.entries(measures).map(([tool, byLatency]) => {
    const summary = byLatency[String(latency)]
    return [tool, ...COLUMNS.map(([, name]) => (summary ? cell(summary[name]) : ''))]
  })
  return table([`${latency} ms`, ...COLUMNS.map(([title]) => title)], rows)
}

const cell = ({ median, min, max }: Spread): string =>
  min === max ? shown(median) : `${shown(median)} (${shown(min)}–${shown(max)})`

function sevenPagesTable({ seven_pages: results }: Comparison): string {
  const tools = Object.keys(results)
  const pages = Object.values(results)[0] ?? []
  const rows = pages.map(({ title, expected }, at) => [
    title,
    expected.join(', ') || 'no one',
    ...tools.map((tool) => results[tool]?.[at]?.verdict ?? ''),
  ])
  return table(['page', 'may read', ...tools], rows)
}

function table(header: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(header), `|${header.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}
