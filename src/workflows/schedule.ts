import { AppError } from '../errors.ts'
import { minutesBetween, parseCron } from './cron.ts'
import { zoneName } from './zone.ts'

/** Phrases of the API; a schedule is stored as cron. */
const phrases: Record<string, string> = {
  'every 15 minutes': '*/15 * * * *',
  'every hour': '0 * * * *',
  ...Object.fromEntries([2, 4, 6, 8, 10, 12].map((hours) => [`every ${hours} hours`, `0 */${hours} * * *`])),
  daily: '0 0 * * *',
  weekly: '0 0 * * 0',
  monthly: '0 0 1 * *',
}

/** The form of `schedule`, for the OpenAPI document: a phrase, five fields of cron, or none. */
export const SCHEDULE_PATTERN = `^(${Object.keys(phrases).join('|')}|[^ ]+( [^ ]+){4}|)$`

/** When a workflow runs. */
export type Schedule = { cron: string; timezone: string }

export const DEFAULT_TIMEZONE = 'UTC'
/** Runs closer together would only wait for each other. */
const MIN_MINUTES = 15

/** A phrase or a cron expression of five fields, as cron. */
export function scheduleToCron(text: string): string {
  const key = text.trim().toLowerCase()
  // Not `phrases[key]`: that also finds `constructor`.
  const phrase = Object.hasOwn(phrases, key) ? phrases[key] : undefined
  if (phrase) return phrase
  const cron = parseCron(text)
  if (!cron)
    throw wrongSchedule(
      `"${text}" is not a schedule; one of: ${Object.keys(phrases).join(', ')}; or a cron expression of five fields, such as "30 6 * * 1-5"`,
    )
  const { shortest } = minutesBetween(cron, DEFAULT_TIMEZONE)
  if (shortest >= MIN_MINUTES) return cron
  throw wrongSchedule(
    `"${text}" runs ${shortest === 1 ? 'every minute' : `${shortest} minutes apart`}; leave at least ${MIN_MINUTES} minutes between two runs`,
  )
}

export function parseTimezone(text: string): string {
  const zone = zoneName(text.trim())
  if (zone) return zone
  const msg = `"${text}" is not a time zone; use a name such as "Europe/Berlin" or "UTC"`
  throw new AppError('invalid_request', msg, {
    fields: [{ loc: ['body', 'schedule_timezone'], msg, type: 'value_error' }],
  })
}

function wrongSchedule(msg: string): AppError {
  return new AppError('invalid_request', msg, { fields: [{ loc: ['body', 'schedule'], msg, type: 'enum' }] })
}

/** The longest time between two runs, changes of the clock included; null without a schedule. */
export function minutesBetweenRuns(schedule: Schedule | null): number | null {
  return schedule && minutesBetween(schedule.cron, schedule.timezone).longest
}

const MAX_PERMISSIONS_MINUTES = 1440
/** The form of `permissions_schedule`, for the OpenAPI document. */
export const PERMISSIONS_PATTERN = '^(off|every ([1-9][0-9]{0,2}|1[0-3][0-9]{2}|14[0-3][0-9]|1440) minutes?)$'

/** Minutes between permission passes; null for `off`. */
export function permissionsMinutes(phrase: string): number | null {
  const key = phrase.trim().toLowerCase()
  if (key === 'off') return null
  const count = Number(/^every (\d{1,4}) minutes?$/.exec(key)?.[1] ?? 0)
  if (count >= 1 && count <= MAX_PERMISSIONS_MINUTES) return count
  const msg = `"${phrase}" is not a schedule for permissions; "every N minutes" with N from 1 to ${MAX_PERMISSIONS_MINUTES}, or "off"`
  throw new AppError('invalid_request', msg, {
    fields: [{ loc: ['body', 'permissions_schedule'], msg, type: 'value_error' }],
  })
}

export function permissionsPhrase(count: number | null): string {
  if (count === null) return 'off'
  return count === 1 ? 'every 1 minute' : `every ${count} minutes`
}
