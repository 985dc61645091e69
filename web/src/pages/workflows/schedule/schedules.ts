import { CronExpressionParser } from 'cron-parser'
import { toString as inWords } from 'cronstrue'

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

export function cronOf(phrase: string): string | undefined {
  return crons[phrase]
}

export function phraseOf(cron: string): string | undefined {
  return phrases.find((phrase) => crons[phrase] === cron)
}

/** "Every 15 minutes", "At 00:00, only on Sunday (UTC)"; schedules are in UTC. */
export function scheduleText(cron: string): string {
  try {
    const words = inWords(cron, { use24HourTimeFormat: true, verbose: false })
    return words.startsWith('At ') ? `${words} (UTC)` : words
  } catch {
    return cron
  }
}

/** The next run, or undefined for an invalid schedule. */
export function nextRun(cron: string, now = new Date()): Date | undefined {
  try {
    return CronExpressionParser.parse(cron, { currentDate: now, tz: 'UTC' }).next().toDate()
  } catch {
    return undefined
  }
}

/** "Sun 15 Nov, 01:00 GMT+1", in the browser's time zone. */
export function localTime(at: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(timeZone ? { timeZone } : {}),
  }).format(at)
}
