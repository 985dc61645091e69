import { Group } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { count } from '../texts/times.ts'
import classes from './plot.module.css'
import { PlotFrame } from './plot-frame.tsx'
import { ticksTo } from './scale.ts'

/** Series of one colour differ by fill or outline. */
export type Series = { key: string; label: string; tone: 'accent' | 'bad' | 'still'; outlined?: boolean }
export type Day = { day: string; values: Record<string, number> }

type Props = {
  label: string
  dayHeader: string
  series: Series[]
  days: Day[]
  dayText: (day: string) => string
  height?: number
}

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 4, 8, 24]

/** Stacked bars, one per day, in the order of the legend. */
export function DayBars({ label, dayHeader, series, days, dayText, height = 200 }: Props) {
  const { ref, width } = useElementSize()
  const sum = ({ values }: Day) => series.reduce((all, { key }) => all + (values[key] ?? 0), 0)
  const ticks = ticksTo(Math.max(0, ...days.map(sum)))
  const max = ticks.at(-1) ?? 1
  const [plotWidth, plotHeight] = [width - LEFT - RIGHT, height - TOP - BOTTOM]
  const step = plotWidth / Math.max(1, days.length)
  const every = Math.max(1, Math.ceil(64 / step))
  return (
    <PlotFrame
      label={label}
      legend={<Legend series={series} />}
      headers={[dayHeader, ...series.map((each) => each.label)]}
      rows={days.map(({ day, values }) => [
        dayText(day),
        ...series.map(({ key }) => count(values[key] ?? 0)),
      ])}
      height={height}
    >
      <div ref={ref} style={{ height }}>
        {width > LEFT + RIGHT ? (
          <svg
            role="img"
            aria-label={label}
            className={classes.plot}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
          >
            {ticks.map((tick) => {
              const top = TOP + plotHeight - (tick / max) * plotHeight
              return (
                <g key={tick}>
                  <line className={classes.grid} x1={LEFT} x2={LEFT + plotWidth} y1={top} y2={top} />
                  <text x={LEFT - 8} y={top + 4} textAnchor="end">
                    {count(tick)}
                  </text>
                </g>
              )
            })}
            {days.map((day, index) => (
              <g key={day.day}>
                <StackedBar
                  day={day}
                  series={series}
                  left={LEFT + index * step + step * 0.15}
                  width={Math.max(1, step * 0.7)}
                  floor={TOP + plotHeight}
                  scale={plotHeight / max}
                />
                <rect
                  className={classes.slot}
                  x={LEFT + index * step}
                  y={TOP}
                  width={step}
                  height={plotHeight}
                >
                  <title>{tooltipOf(day, series, dayText)}</title>
                </rect>
                {(days.length - 1 - index) % every === 0 ? (
                  <text x={LEFT + (index + 0.5) * step} y={height - 6} textAnchor="middle">
                    {dayText(day.day)}
                  </text>
                ) : null}
              </g>
            ))}
          </svg>
        ) : null}
      </div>
    </PlotFrame>
  )
}

type StackedBarProps = {
  day: Day
  series: Series[]
  left: number
  width: number
  floor: number
  scale: number
}

function StackedBar({ day, series, left, width, floor, scale }: StackedBarProps) {
  let top = floor
  return series.map((look) => {
    const { key } = look
    const value = day.values[key] ?? 0
    if (value === 0) return null
    // Keeps a single failure among thousands visible.
    const height = Math.max(2, value * scale)
    top -= height
    return <rect key={key} x={left} y={top} width={width} height={height} {...colorsOf(look)} />
  })
}

function Legend({ series }: { series: Series[] }) {
  return (
    <Group gap="md">
      {series.map((look) => (
        <span key={look.key} className={classes.key}>
          <svg width={12} height={12} aria-hidden="true">
            <rect x={1} y={1} width={10} height={10} {...colorsOf(look)} />
          </svg>
          {look.label}
        </span>
      ))}
    </Group>
  )
}

function tooltipOf({ day, values }: Day, series: Series[], dayText: Props['dayText']): string {
  return `${dayText(day)}: ${series.map(({ key, label }) => `${count(values[key] ?? 0)} ${label.toLowerCase()}`).join(', ')}`
}

function colorsOf({ tone, outlined = false }: Series): { fill: string; stroke: string } {
  const color = `var(--mr-${tone})`
  return { fill: outlined ? 'var(--mr-active-ground)' : color, stroke: color }
}
