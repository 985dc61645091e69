const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const formats = new Map<string, Intl.DateTimeFormat>()

/** The name as the platform spells it; null for an unknown zone or a plain offset. */
export function zoneName(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/** The local clock at an instant, as if it were UTC. */
export function localTime(instant: number, zone: string): number {
  return instant + offsetAt(instant, zone)
}

/** None if the clock skips the local time, two if it shows it twice. */
export function instantsOf(local: number, zone: string): number[] {
  const offsets = new Set([offsetAt(local - DAY, zone), offsetAt(local + DAY, zone)])
  return [...offsets]
    .map((offset) => local - offset)
    .filter((instant) => localTime(instant, zone) === local)
    .toSorted((one, other) => one - other)
}

/** The instant of a local time that the clock skips: as long after the change as it would be after midnight. */
export function afterGap(local: number, zone: string): number {
  return local - offsetAt(local - DAY, zone)
}

/** By how many minutes the clock of a zone changes within a year; zero for most of the world. */
export function clockChangeMinutes(zone: string, now = Date.now()): number {
  const offsets = Array.from({ length: 53 }, (_, week) => offsetAt(now + week * 7 * DAY, zone))
  return (Math.max(...offsets) - Math.min(...offsets)) / MINUTE
}

function offsetAt(instant: number, zone: string): number {
  if (zone === 'UTC') return 0
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    // Another process may know more zones: here the schedule runs in UTC rather than never.
    timeZone: zoneName(zone) ?? 'UTC',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}
