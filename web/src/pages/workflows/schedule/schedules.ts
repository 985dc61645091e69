import { toString as inWords } from 'cronstrue'
import { LOCALE } from '../../../texts/language.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import type { Choice } from './choice.ts'

/** As in src/workflows/schedule.ts. */
const crons: Record<string, string> = {
  'every 15 minutes': '*/15 * * * *',
  'every hour': '0 * * * *',
  'every 2 hours': '0 */2 * * *',
  'every 4 hours': '0 */4 * * *',
  'every 6 hours': '0 */6 * * *',
  'every 8 hours': '0 */8 * * *',
  'every 10 hours': '0 */10 * * *',
  'every 12 hours': '0 */12 * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 0',
  monthly: '0 0 1 * *',
}

export const phrases: readonly string[] = Object.keys(crons)
export const intervals: readonly string[] = phrases.filter((phrase) => phrase.startsWith('every '))
export const UTC = 'UTC'

export function cronOf(phrase: string): string | undefined {
  return Object.hasOwn(crons, phrase) ? crons[phrase] : undefined
}

/** The phrase of a cron expression if it has one, else the expression. */
export function scheduleOf(cron: string): string {
  return phrases.find((phrase) => crons[phrase] === cron) ?? cron
}

const TIMED = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|[0-7](?:,[0-7])*)$/

export function choiceOf(schedule: string | null): Choice {
  if (!schedule) return { mode: 'never' }
  if (intervals.includes(schedule)) return { mode: 'interval', phrase: schedule }
  const cron = cronOf(schedule) ?? schedule
  const [, minute, hour, day, weekdays] = TIMED.exec(cron) ?? []
  if (minute === undefined || hour === undefined) return { mode: 'cron', cron }
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (day === '*' && weekdays === '*') return { mode: 'daily', time }
  if (day === '*') return { mode: 'weekly', time, days: daysIn(weekdays ?? '') }
  return weekdays === '*' ? { mode: 'monthly', time, day: Number(day) } : { mode: 'cron', cron }
}

/** Sunday is 0 and 7 in cron. */
function daysIn(list: string): number[] {
  return [...new Set(list.split(',').map((day) => Number(day) % 7))].toSorted((one, other) => one - other)
}

export function scheduleFrom(choice: Choice): string | null {
  if (choice.mode === 'never') return null
  if (choice.mode === 'interval') return choice.phrase
  if (choice.mode === 'cron') return scheduleOf(choice.cron.trim().replaceAll(/\s+/g, ' ')) || null
  const [hour = 0, minute = 0] = choice.time.split(':').map(Number)
  const at = `${minute} ${hour}`
  if (choice.mode === 'daily') return scheduleOf(`${at} * * *`)
  if (choice.mode === 'weekly') return scheduleOf(`${at} * * ${choice.days.join(',') || '*'}`)
  return scheduleOf(`${at} ${choice.day} * *`)
}

/** "Every 15 minutes", "At 06:30, only on Monday (Europe/Berlin)". */
export function scheduleText(cron: string, timezone: string): string {
  const choice = choiceOf(scheduleOf(cron))
  const said = workflowsTexts.schedule.said(choice)
  if (said) return choice.mode === 'interval' ? said : `${said} (${timezone})`
  try {
    const words = inWords(cron, { use24HourTimeFormat: true, verbose: false })
    return /^Every \d* ?(minutes|hours?)$/.test(words) ? words : `${words} (${timezone})`
  } catch {
    return cron
  }
}

/** "Sun, Nov 15, 01:00 GMT+1", in the browser's time zone. */
export function localTime(at: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat(LOCALE, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    ...(timeZone ? { timeZone } : {}),
  }).format(at)
}

export function browserZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || UTC
}

/** The names that the browser knows; UTC first. */
export function zoneNames(chosen: string): string[] {
  const names = Intl.supportedValuesOf('timeZone')
  return [...new Set([UTC, browserZone(), chosen, ...names])]
}
