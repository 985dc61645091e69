import type { Comparison } from './compare.ts'
import type { MeasureName, Spread } from './summary.ts'

type Bar = { label: string; spread: Spread; kind: 'near' | 'far' }
type Panel = { title: string; bars: Bar[] }

const PANEL = { width: 370, left: 132, right: 92, top: 34 }
const ROW = 19
const GAP = 8

const STYLE = `text{font:12px system-ui,sans-serif;fill:#24302e}.title{font-weight:600}.value{font-size:11px}
.near{fill:#1d7a70}.far{fill:#83bdb5}.range{stroke:#24302e;stroke-width:1.5}.axis{stroke:#9aa5a2}
@media (prefers-color-scheme:dark){text{fill:#dbe4e1}.near{fill:#3fb3a5}.far{fill:#1f6a62}.range{stroke:#dbe4e1}.axis{stroke:#5d6a67}}`

/** Four groups of bars, one bar for each tool and latency; a line shows the lowest and the highest round. */
export function plot(comparison: Comparison): string {
  const latencies = comparison.latencies
  const panels = [
    panel(comparison, 'Pages per second', 'pages_per_second', latencies),
    panel(comparison, 'Pages per processor second', 'pages_per_cpu_second', latencies.slice(0, 1)),
    panel(comparison, 'Requests to the wiki per page', 'requests_per_page', latencies.slice(0, 1)),
    panel(comparison, 'Peak memory, MB', 'peak_mb', latencies.slice(0, 1)),
  ]
  const heights = [0, 2].map((at) => Math.max(...panels.slice(at, at + 2).map(heightOf)))
  const height = heights.reduce((sum, each) => sum + each, 0) + 30
  const drawn = panels.map((each, at) =>
    draw(each, { x: (at % 2) * PANEL.width, y: at < 2 ? 0 : (heights[0] ?? 0) }),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * PANEL.width} ${height}" width="${2 * PANEL.width}" height="${height}" role="img" aria-label="Millrace and three other tools on the same simulated wiki">
<style>${STYLE}</style>
${drawn.join('\n')}
${legend(latencies, height - 12)}
</svg>
`
}

function panel({ measures }: Comparison, title: string, name: MeasureName, latencies = [0]): Panel {
  const bars = Object.entries(measures).flatMap(([tool, byLatency]) =>
    latencies.flatMap((latency, at): Bar[] => {
      const spread = byLatency[String(latency)]?.[name]
      return spread === undefined
        ? []
        : [{ label: at === 0 ? tool : '', spread, kind: at === 0 ? 'near' : 'far' }]
    }),
  )
  return { title, bars }
}

const rowAt = (bars: Bar[], at: number): number =>
  PANEL.top +
  bars.slice(0, at).reduce((y, _, index) => y + ROW + (bars[index + 1]?.label === '' ? 0 : GAP), 0)

const heightOf = ({ bars }: Panel): number => rowAt(bars, bars.length) + 16

function draw({ title, bars }: Panel, { x, y }: { x: number; y: number }): string {
  const highest = Math.max(...bars.map(({ spread }) => spread.max), 1e-9)
  const scale = (value: number) => (value / highest) * (PANEL.width - PANEL.left - PANEL.right)
  const rows = bars.map(({ label, spread, kind }, at) => {
    const top = rowAt(bars, at)
    const [from, to] = [PANEL.left + scale(spread.min), PANEL.left + scale(spread.max)]
    const middle = top + ROW / 2 - 1
    return `<text x="${PANEL.left - 8}" y="${top + 13}" text-anchor="end">${label}</text>
<rect class="${kind}" x="${PANEL.left}" y="${top}" width="${fixed(scale(spread.median))}" height="${ROW - 2}"/>
<path class="range" d="M${fixed(from)} ${middle}H${fixed(to)}"/>
<text class="value" x="${fixed(to + 5)}" y="${top + 13}">${shown(spread.median)}</text>`
  })
  const bottom = rowAt(bars, bars.length) - GAP
  return `<g transform="translate(${x} ${y})"><text class="title" x="${PANEL.left}" y="20">${title}</text>
${rows.join('\n')}
<path class="axis" d="M${PANEL.left - 0.5} ${PANEL.top - 3}V${bottom + 3}"/></g>`
}

function legend(latencies: number[], y: number): string {
  return latencies
    .slice(0, 2)
    .map((latency, at) => {
      const x = PANEL.left + at * 170
      return `<rect class="${at === 0 ? 'near' : 'far'}" x="${x}" y="${y - 10}" width="12" height="12"/>
<text x="${x + 18}" y="${y}">${latency} ms for each response</text>`
    })
    .join('\n')
}

const fixed = (value: number): string => value.toFixed(1)

/** Three digits. */
export const shown = (value: number): string =>
  value >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(value < 0.1 ? 2 : 3)))
