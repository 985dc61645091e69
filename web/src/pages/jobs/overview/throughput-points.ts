import type { Point } from '../../../charts/line-chart.tsx'

/** Documents done at a time, in milliseconds since the start. */
export type ProgressSample = { at: number; done: number }

// A chart cannot show more.
const MAX_POINTS = 90

/**
 * Documents per second, from the log and from later samples. Steps widen with the run, because slices end in
 * bursts.
 */
export function throughputPoints(seconds: number[], samples: ProgressSample[], elapsedMs: number): Point[] {
  const perSecond = mergeSamples(seconds, samples)
  const length = Math.max(perSecond.length, Math.ceil(elapsedMs / 1000))
  if (length < 2) return []
  const step = Math.max(1, Math.ceil(length / MAX_POINTS), length > 20 ? 2 : 1)
  const points: Point[] = []
  for (let from = 0, width = step; from < length; from += width) {
    // The rest joins the last step, or the line would drop.
    width = length - from < 2 * step ? length - from : step
    let sum = 0
    for (let second = from; second < from + width; second++) sum += perSecond[second] ?? 0
    points.push({ x: (from + width / 2) * 1000, y: sum / width })
  }
  // The line starts at zero.
  return [{ x: 0, y: 0 }, ...points]
}

/** Spreads the documents between two samples over their seconds. */
function mergeSamples(seconds: number[], samples: ProgressSample[]): number[] {
  const all = [...seconds]
  for (const [index, { at, done }] of samples.entries()) {
    const before = samples[index - 1]
    if (!before || at <= before.at || done <= before.done) continue
    const [from, to] = [
      Math.floor(before.at / 1000),
      Math.max(Math.floor(before.at / 1000) + 1, Math.ceil(at / 1000)),
    ]
    for (let second = from; second < to; second++) {
      all[second] = (all[second] ?? 0) + (done - before.done) / (to - from)
    }
  }
  return all
}

export function averageRate(done: number, elapsedMs: number): number {
  return elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0
}
