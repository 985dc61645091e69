import { LOCALE } from '../../../texts/language.ts'
import type { Counts } from '../types.ts'

/** The service's durations, such as `PT1H2M3S`, in milliseconds. */
export function durationMs(text: string | null | undefined): number | null {
  const [, hours, minutes, seconds] = /^PT(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?$/.exec(text ?? '') ?? []
  if (!hours && !minutes && !seconds) return null
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000
}

export const outcomes = ['new', 'changed', 'unchanged', 'skipped', 'failed'] as const

/** Every discovered document has one of these outcomes; another sum is a bug. */
export function addsUp(counts: Counts): boolean {
  return counts.discovered === outcomes.reduce((sum, outcome) => sum + counts[outcome], 0)
}

/** Processed documents; unchanged ones are only compared. */
export function processedOf({ discovered, unchanged }: Counts): number {
  return discovered - unchanged
}

/** Two significant digits: 0.42, 3.7, 48. */
export function rateText(rate: number): string {
  if (rate === 0) return '0'
  return rate.toLocaleString(LOCALE, { maximumFractionDigits: rate < 1 ? 2 : rate < 10 ? 1 : 0 })
}
