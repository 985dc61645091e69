import { LOCALE } from './language.ts'
import { shellTexts } from './shell.ts'

export { count } from './locale.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const relativeFormat = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })

/** "just now", "3 minutes ago", "yesterday"; the date after a month. */
export function relativeTime(at: string, now: number): string {
  const offset = Date.parse(at) - now
  const distance = Math.abs(offset)
  if (Number.isNaN(distance)) return at
  if (distance < MINUTE) return offset > 0 ? shellTexts.soon : shellTexts.justNow
  if (distance < HOUR) return relativeFormat.format(Math.trunc(offset / MINUTE), 'minute')
  if (distance < DAY) return relativeFormat.format(Math.trunc(offset / HOUR), 'hour')
  if (distance < 31 * DAY) return relativeFormat.format(Math.trunc(offset / DAY), 'day')
  return new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' }).format(new Date(at))
}

/** With the name of the time zone; the browser's unless one is given. */
export function exactTime(at: string, timeZone?: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  return new Intl.DateTimeFormat(LOCALE, {
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

/** 20:45, in the browser's time zone. */
export function clockTime(at: number): string {
  return new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at)
}

/** The local time and, where it differs, the same in UTC on a second line. */
export function localAndUtc(at: string, timeZone?: string): string {
  const [local, utc] = [exactTime(at, timeZone), exactTime(at, 'UTC')]
  return local === utc ? local : `${local}\n${utc}`
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
