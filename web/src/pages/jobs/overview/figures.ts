import type { Counts } from '../types.ts'

/** `PT12.3S`, `PT1H2M3S`: the service's durations, in milliseconds. */
export function durationMs(text: string | null | undefined): number | null {
  const [, hours, minutes, seconds] = /^PT(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?$/.exec(text ?? '') ?? []
  if (!hours && !minutes && !seconds) return null
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000
}

export const terms = ['new', 'changed', 'unchanged', 'skipped', 'failed'] as const

/** What is found and decided is one of these five; a sum that differs is a fault of ours. */
export function addsUp(counts: Counts): boolean {
  return counts.discovered === terms.reduce((sum, term) => sum + counts[term], 0)
}

/** What a run had to work: most documents are as they were, and only looked at. */
export function workedOf({ discovered, unchanged }: Counts): number {
  return discovered - unchanged
}

/** 0.42, 3.7, 48: as many places as tell something. */
export function rateText(rate: number): string {
  if (rate === 0) return '0'
  return rate.toLocaleString('en', { maximumFractionDigits: rate < 1 ? 2 : rate < 10 ? 1 : 0 })
}
