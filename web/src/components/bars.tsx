type Bar = { value: number; label: string; tone?: 'good' | 'warning' | 'bad' | 'active' | 'neutral' }
type Props = {
  bars: Bar[]
  /** What it shows, in one sentence for screen readers. */
  label: string
  width?: number
  height?: number
}

/** A row of small bars, each with a tooltip. */
export function Bars({ bars, label, width = 160, height = 32 }: Props) {
  const max = Math.max(1, ...bars.map(({ value }) => value))
  const step = width / Math.max(1, bars.length)
  return (
    <svg role="img" aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      {bars.map(({ value, label: tooltip, tone = 'active' }, index) => {
        // Keeps the smallest bar visible.
        const barHeight = Math.max(2, (value / max) * (height - SYMBOL_SIZE - 2))
        const barWidth = Math.max(1, step - Math.min(2, step / 3))
        const [x, y] = [index * step, height - barHeight]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no id.
          <g key={index} fill={`var(--mr-${tone})`} stroke={`var(--mr-${tone})`} data-tone={tone}>
            <title>{tooltip}</title>
            <rect x={x} y={y} width={barWidth} height={barHeight} stroke="none" />
            <ToneSymbol tone={tone} x={x + barWidth / 2} y={y - 1} />
          </g>
        )
      })}
    </svg>
  )
}

const SYMBOL_SIZE = 4

/** A shape next to the colour: a triangle for warnings, a cross for failures. */
function ToneSymbol({ tone, x, y }: { tone: Bar['tone']; x: number; y: number }) {
  const [left, right, top] = [x - SYMBOL_SIZE / 2, x + SYMBOL_SIZE / 2, y - SYMBOL_SIZE]
  if (tone === 'warning') return <path d={`M${left} ${y}H${right}L${x} ${top}Z`} stroke="none" />
  if (tone !== 'bad') return null
  return <path d={`M${left} ${top}L${right} ${y}M${left} ${y}L${right} ${top}`} fill="none" />
}
