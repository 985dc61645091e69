import { useElementSize } from '@mantine/hooks'
import classes from './chart.module.css'
import { ChartFrame } from './chart-frame.tsx'
import { sampleEvenly, ticksTo } from './scale.ts'

export type Point = { x: number; y: number }

type Props = {
  label: string
  points: Point[]
  xText: (x: number) => string
  yText: (y: number) => string
  headers: [string, string]
  height?: number
}

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 8, 24]
// Narrower hover areas are hard to point at.
const MAX_HOVER_POINTS = 120

/** One line over time, drawn at full width so that labels keep their size. */
export function LineChart({ label, points, xText, yText, headers, height = 176 }: Props) {
  const { ref, width } = useElementSize()
  const hoverPoints = sampleEvenly(points, MAX_HOVER_POINTS)
  return (
    <ChartFrame
      label={label}
      headers={headers}
      rows={hoverPoints.map(({ x, y }) => [xText(x), yText(y)])}
      height={height}
    >
      <div ref={ref} style={{ height }}>
        {width > LEFT + RIGHT ? (
          <LineSvg
            label={label}
            points={points}
            hoverPoints={hoverPoints}
            size={{ width, height }}
            xText={xText}
            yText={yText}
          />
        ) : null}
      </div>
    </ChartFrame>
  )
}

type LineSvgProps = Pick<Props, 'label' | 'points' | 'xText' | 'yText'> & {
  hoverPoints: Point[]
  size: { width: number; height: number }
}

function LineSvg({ label, points, hoverPoints, size, xText, yText }: LineSvgProps) {
  const ticks = ticksTo(Math.max(0, ...points.map(({ y }) => y)))
  const max = ticks.at(-1) ?? 1
  const last = Math.max(points.at(-1)?.x ?? 0, 1)
  const [plotWidth, plotHeight] = [size.width - LEFT - RIGHT, size.height - TOP - BOTTOM]
  const at = ({ x, y }: Point) => ({
    left: LEFT + (x / last) * plotWidth,
    top: TOP + plotHeight - (y / max) * plotHeight,
  })
  const coordinates = points.map((point) => {
    const { left, top } = at(point)
    return `${left.toFixed(1)},${top.toFixed(1)}`
  })
  const bottom = TOP + plotHeight
  const baseline = [at({ x: points[0]?.x ?? 0, y: 0 }).left, at({ x: last, y: 0 }).left]
  // A label takes about 80 pixels.
  const xTicks = ticksTo(last, Math.max(3, Math.floor(plotWidth / 110))).filter((x) => x <= last)
  return (
    <svg
      role="img"
      aria-label={label}
      className={classes.chart}
      height={size.height}
      viewBox={`0 0 ${size.width} ${size.height}`}
    >
      {ticks.map((tick) => {
        const { top } = at({ x: 0, y: tick })
        return (
          <g key={tick}>
            <line className={classes.grid} x1={LEFT} x2={LEFT + plotWidth} y1={top} y2={top} />
            <text x={LEFT - 8} y={top + 4} textAnchor="end">
              {yText(tick)}
            </text>
          </g>
        )
      })}
      {xTicks.map((x) => (
        <text
          key={x}
          x={at({ x, y: 0 }).left}
          y={size.height - 6}
          textAnchor={x === 0 ? 'start' : x / last > 0.95 ? 'end' : 'middle'}
        >
          {xText(x)}
        </text>
      ))}
      <polygon
        className={classes.area}
        points={`${baseline[0]},${bottom} ${coordinates.join(' ')} ${baseline[1]},${bottom}`}
      />
      <polyline className={classes.line} points={coordinates.join(' ')} />
      {hoverPoints.map((point, index) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: points have no id.
          key={index}
          className={classes.hoverArea}
          x={at(point).left - plotWidth / hoverPoints.length / 2}
          y={TOP}
          width={plotWidth / hoverPoints.length}
          height={plotHeight}
        >
          <title>{`${xText(point.x)}: ${yText(point.y)}`}</title>
        </rect>
      ))}
    </svg>
  )
}
