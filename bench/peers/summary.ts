const KEYS = [
  'pages_per_second',
  'pages_per_cpu_second',
  'requests_per_page',
  'peak_mb',
  'pages',
  'elements',
] as const
export type MeasureName = (typeof KEYS)[number]
export type Measures = Record<MeasureName, number>
export type Spread = { median: number; min: number; max: number }
export type Summary = Record<MeasureName, Spread>

/** The median of the rounds, with the lowest and the highest. */
export function summarize(rounds: Measures[]): Summary {
  return Object.fromEntries(KEYS.map((key) => [key, spreadOf(rounds.map((each) => each[key]))])) as Summary
}

function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const median = ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
  return { median: round(median), min: round(sorted[0] ?? 0), max: round(sorted.at(-1) ?? 0) }
}

const round = (value: number): number => Number(value.toPrecision(4))
