const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** "just now", "3 minutes ago", "yesterday"; the date after a month. */
export function relativeTime(at: string, now: number): string {
  const away = Date.parse(at) - now
  const distance = Math.abs(away)
  if (Number.isNaN(distance)) return at
  if (distance < MINUTE) return away > 0 ? 'in a moment' : 'just now'
  if (distance < HOUR) return words.format(Math.trunc(away / MINUTE), 'minute')
  if (distance < DAY) return words.format(Math.trunc(away / HOUR), 'hour')
  if (distance < 31 * DAY) return words.format(Math.trunc(away / DAY), 'day')
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(new Date(at))
}

/** In the browser's time zone, which it names. */
export function exactTime(at: string, timeZone?: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  return new Intl.DateTimeFormat('en', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    ...(timeZone ? { timeZone } : {}),
  }).format(date)
}

/** "850 ms", "12 s", "3 min 20 s", "2 h 5 min". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`
  return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.floor(minutes / 60)} h`
}

const grouped = new Intl.NumberFormat('en')

/** 12,345 */
export function count(number: number): string {
  return grouped.format(number)
}
