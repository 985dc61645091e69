import { AppError } from '../errors.ts'

/** Phrases of the API; a schedule is stored as cron. */
const phrases: Record<string, string> = {
  'every 15 minutes': '*/15 * * * *',
  'every hour': '0 * * * *',
  ...Object.fromEntries([2, 4, 6, 8, 10, 12].map((hours) => [`every ${hours} hours`, `0 */${hours} * * *`])),
  daily: '0 0 * * *',
  weekly: '0 0 * * 0',
  monthly: '0 0 1 * *',
}

export function scheduleToCron(phrase: string): string {
  const key = phrase.trim().toLowerCase()
  // Not `phrases[key]`: that also finds `constructor`.
  const cron = Object.hasOwn(phrases, key) ? phrases[key] : undefined
  if (cron) return cron
  const msg = `"${phrase}" is not a schedule; one of: ${Object.keys(phrases).join(', ')}`
  throw new AppError('invalid_request', msg, { fields: [{ loc: ['body', 'schedule'], msg, type: 'enum' }] })
}
