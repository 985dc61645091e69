import { Group } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { count } from '../texts/times.ts'
import classes from './chart.module.css'
import { ChartFrame } from './chart-frame.tsx'
import { ticksTo } from './scale.ts'

/** Series of the same colour differ by fill or outline. */
export type Series = { key: string; label: string; tone: 'accent' | 'bad' | 'neutral'; outlined?: boolean }
export type Day = { day: string; values: Record<string, number> }

type Props = {
  label: string
  dayHeader: string
  series: Series[]
  days: Day[]
  dayText: (day: string) => string
  /** Shorter, below the bars. */
  axisText?: (day: string) => string
  valueText?: (value: number) => string
  height?: number
}

const [MIN_LEFT, RIGHT, TOP, BOTTOM] = [44, 4, 8, 24]
const CHARACTER = 7
// Few bars would fill the whole width.
const MAX_BAR = 48

/** Stacked bars, one per day or run, in the order of the legend. */
export function DayBarChart(props: Props) {
  const { label, dayHeader, series, days, dayText, height = 200 } = props
  const { axisText = dayText, valueText = count } = props
  const { ref, width } = useElementSize()
  const sum = ({ values }: Day) => series.reduce((all, { key }) => all + (values[key] ?? 0), 0)
  const ticks = ticksTo(Math.max(0, ...days.map(sum)))
  const max = ticks.at(-1) ?? 1
  const longest = Math.max(...ticks.map((tick) => valueText(tick).length))
  const left = Math.max(MIN_LEFT, 8 + CHARACTER * longest)
  const [plotWidth, plotHeight] = [width - left - RIGHT, height - TOP - BOTTOM]
  const step = plotWidth / Math.max(1, days.length)
  const barWidth = Math.min(MAX_BAR, Math.max(1, step * 0.7))
  const labelInterval = Math.max(1, Math.ceil(64 / step))
  return (
    <ChartFrame
      label={label}
      legend={<Legend series={series} />}
      headers={[dayHeader, ...series.map((each) => each.label)]}
      rows={days.map(({ day, values }) => [
        dayText(day),
        ...series.map(({ key }) => valueText(values[key] ?? 0)),
      ])}
      height={height}
    >
      <div ref={ref} style={{ height }}>
        {width > left + RIGHT ? (
          <svg
            role="img"
            aria-label={label}
            className={classes.chart}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
          >
            {ticks.map((tick) => {
              const top = TOP + plotHeight - (tick / max) * plotHeight
              return (
                <g key={tick}>
                  <line className={classes.grid} x1={left} x2={left + plotWidth} y1={top} y2={top} />
                  <text x={left - 8} y={top + 4} textAnchor="end">
                    {valueText(tick)}
                  </text>
                </g>
              )
            })}
            {days.map((day, index) => (
              <g key={day.day}>
                <StackedBar
                  day={day}
                  series={series}
                  left={left + (index + 0.5) * step - barWidth / 2}
                  width={barWidth}
                  bottom={TOP + plotHeight}
                  scale={plotHeight / max}
                />
                <rect
                  className={classes.hoverArea}
                  x={left + index * step}
                  y={TOP}
                  width={step}
                  height={plotHeight}
                >
                  <title>{tooltipOf(day, series, { dayText, valueText })}</title>
                </rect>
                {(days.length - 1 - index) % labelInterval === 0 ? (
                  <text x={left + (index + 0.5) * step} y={height - 6} textAnchor="middle">
                    {axisText(day.day)}
                  </text>
                ) : null}
              </g>
            ))}
          </svg>
        ) : null}
      </div>
    </ChartFrame>
  )
}

type StackedBarProps = {
  day: Day
  series: Series[]
  left: number
  width: number
  bottom: number
  scale: number
}

function StackedBar({ day, series, left, width, bottom, scale }: StackedBarProps) {
  let top = bottom
  return series.map((item) => {
    const { key } = item
    const value = day.values[key] ?? 0
    if (value === 0) return null
    // Keeps a single failure among thousands visible.
    const height = Math.max(2, value * scale)
    top -= height
    return <rect key={key} x={left} y={top} width={width} height={height} {...colorsOf(item)} />
  })
}

function Legend({ series }: { series: Series[] }) {
  return (
    <Group gap="md">
      {series.map((item) => (
        <span key={item.key} className={classes.key}>
          <svg width={12} height={12} aria-hidden="true">
            <rect x={1} y={1} width={10} height={10} {...colorsOf(item)} />
          </svg>
          {item.label}
        </span>
      ))}
    </Group>
  )
}

type Words = { dayText: (day: string) => string; valueText: (value: number) => string }

function tooltipOf({ day, values }: Day, series: Series[], { dayText, valueText }: Words): string {
  const parts = series.map(({ key, label }) => `${valueText(values[key] ?? 0)} ${label.toLowerCase()}`)
  return `${dayText(day)}: ${parts.join(', ')}`
}

function colorsOf({ tone, outlined = false }: Series): { fill: string; stroke: string } {
  const color = `var(--mr-${tone})`
  return { fill: outlined ? 'var(--mr-active-background)' : color, stroke: color }
}
