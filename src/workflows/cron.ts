import { type CronExpression, CronExpressionParser } from 'cron-parser'
import { afterGap, clockChangeMinutes, instantsOf, localTime } from './zone.ts'

const MINUTE = 60_000
const DAY_MINUTES = 1440
const DAY = DAY_MINUTES * MINUTE
// Clocks change by at most this much.
const CLOCK_CHANGE = 3 * 3600_000

const FIELD = /^[\d*,/-]+$/
const NAMED_FIELD =
  /^(?:[\d*,/-]|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)\b)+$/i

/** Five fields with single spaces, or null if they are no cron expression. */
export function parseCron(text: string): string | null {
  const fields = text.trim().split(/\s+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  if (fields.length !== 5 || ![minute, hour, day].every((field) => FIELD.test(field))) return null
  if (![month, weekday].every((field) => NAMED_FIELD.test(field))) return null
  const cron = fields.join(' ')
  try {
    expressionOf(cron).next()
    return cron
  } catch {
    return null
  }
}

/**
 * The next runs. A local time that the clock skips runs once, later; one that it shows twice runs the first time.
 * With every hour, both showings count.
 */
export function nextRuns(
  cron: string,
  zone: string,
  { after, count }: { after: Date; count: number },
): Date[] {
  const start = localTime(after.getTime(), zone) - CLOCK_CHANGE
  const locals = expressionOf(cron, new Date(start))
  const everyHour = cron.split(' ')[1] === '*'
  const found = new Set<number>()
  for (;;) {
    const local = locals.next().getTime()
    const last = [...found].toSorted((one, other) => one - other)[count - 1]
    if (last !== undefined && local > localTime(last, zone) + CLOCK_CHANGE) break
    for (const instant of instantsAt(local, zone, everyHour))
      if (instant > after.getTime()) found.add(instant)
  }
  return [...found]
    .toSorted((one, other) => one - other)
    .slice(0, count)
    .map((instant) => new Date(instant))
}

function instantsAt(local: number, zone: string, everyHour: boolean): number[] {
  const instants = instantsOf(local, zone)
  if (everyHour) return instants
  return [instants[0] ?? afterGap(local, zone)]
}

/** The shortest and the longest time between two runs; the longest includes changes of the clock. */
export function minutesBetween(cron: string, zone: string): { shortest: number; longest: number } {
  const key = `${cron} ${zone}`
  const known = intervals.get(key)
  if (known) return known
  const expression = expressionOf(cron)
  const { hour, minute } = expression.fields
  const times = hour.values.flatMap((h) => minute.values.map((m) => Number(h) * 60 + Number(m)))
  const steps = times.slice(1).map((time, index) => time - times[index]!)
  const { shortest, longest } = matchingDays(expression)
  const overnight = (days: number) => days * DAY_MINUTES - times.at(-1)! + times[0]!
  const change = clockChangeMinutes(zone)
  // Runs of every hour and day keep their pace when the clock changes by an hour.
  const keepsPace = cron.split(' ')[1] === '*' && longest === 1 && change % 60 === 0
  const found = {
    shortest: Math.min(...steps, overnight(shortest)),
    longest: Math.max(...steps, overnight(longest)) + (keepsPace ? 0 : change),
  }
  if (intervals.size >= MAX_KNOWN) intervals.clear()
  intervals.set(key, found)
  return found
}

const intervals = new Map<string, { shortest: number; longest: number }>()
const MAX_KNOWN = 1_000

// 28 years hold every order of weekdays; 2100 is the rare year without a leap day.
const FIRST_DAY = Date.UTC(2072, 0, 1)
const DAYS = 20_454

/** The fewest and the most days from one matching day to the next. */
function matchingDays(expression: CronExpression): { shortest: number; longest: number } {
  const { dayOfMonth, month, dayOfWeek } = expression.fields
  // Not by the number of days: with one month the parser lists only the days of that month.
  const { isWildcard: anyDay } = dayOfMonth
  const { isWildcard: anyWeekday } = dayOfWeek
  if (anyDay && anyWeekday && month.values.length === 12) return { shortest: 1, longest: 1 }
  const days = new Set(dayOfMonth.values.map(Number))
  const weekdays = new Set(dayOfWeek.values.map((day) => Number(day) % 7))
  const months = new Set(month.values.map(Number))
  let last: number | null = null
  let shortest = DAYS
  let longest = 0
  for (let day = 0; day < DAYS; day++) {
    const date = new Date(FIRST_DAY + day * DAY)
    if (!months.has(date.getUTCMonth() + 1)) continue
    const byDay = days.has(date.getUTCDate())
    const byWeekday = weekdays.has(date.getUTCDay())
    // Cron runs on either, if both are limited.
    const matches = anyDay ? byWeekday : anyWeekday ? byDay : byDay || byWeekday
    if (!matches) continue
    if (last !== null) {
      shortest = Math.min(shortest, day - last)
      longest = Math.max(longest, day - last)
    }
    last = day
  }
  return { shortest, longest }
}

/** Read as UTC: zones are applied here, because the parser runs twice or never when a clock changes. */
function expressionOf(cron: string, currentDate = new Date()): CronExpression {
  return CronExpressionParser.parse(cron, { tz: 'UTC', currentDate })
}
