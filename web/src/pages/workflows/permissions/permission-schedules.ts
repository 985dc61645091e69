/** As in src/workflows/schedule.ts. */
const MAX_MINUTES = 1440
export const DEFAULT_SCHEDULE = 'every 15 minutes'
export const DEFAULT_MAX_AGE_HOURS = 24
export const OFF = 'off'

export const permissionSchedules: readonly string[] = [
  ...[1, 5, 15, 30, 60, 240, MAX_MINUTES].map(phraseOf),
  OFF,
]

/** A valid phrase in its usual spelling, or undefined. */
export function permissionScheduleOf(text: string): string | undefined {
  const key = text.trim().toLowerCase()
  if (key === OFF) return OFF
  const minutes = Number(/^every (\d{1,4}) minutes?$/.exec(key)?.[1] ?? 0)
  return minutes >= 1 && minutes <= MAX_MINUTES ? phraseOf(minutes) : undefined
}

function phraseOf(minutes: number): string {
  return minutes === 1 ? 'every 1 minute' : `every ${minutes} minutes`
}
