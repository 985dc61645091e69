import { parseRetryAfter } from '../../retry.ts'

/** The rate limits in the headers of a response. */
export type RateInfo = {
  /** Set if the response is a refusal: too many requests at once, or per hour. */
  limited: 'burst' | 'quota' | null
  /** How long to wait; null if not given. */
  retryAfterMs: number | null
  /** The limit is almost reached. */
  nearLimit: boolean
}

export function readRate(status: number, headers: Headers, now: number): RateInfo {
  const limited = isLimited(status, headers) ? (isQuota(headers) ? 'quota' : 'burst') : null
  const after = parseRetryAfter(headers.get('retry-after'), now)
  // The reset time matters only with a refusal.
  const retryAfterMs = after ?? (limited ? untilResetMs(headers, limited, now) : null)
  return { limited, retryAfterMs, nearLimit: isNearLimit(headers) }
}

/** Some proxies limit with 403 and Retry-After; any other 403 is about permissions. */
function isLimited(status: number, headers: Headers): boolean {
  if (status === 429) return true
  if (status < 400 || status >= 500) return false
  if (headers.get('x-failure-category') === 'FAILURE_CLIENT_RATE_LIMITED') return true
  return (
    status === 403 && (headers.has('retry-after') || headers.get('x-ratelimit-remaining')?.trim() === '0')
  )
}

/** Decides by the stated reason, or by a quota that is used up. */
function isQuota(headers: Headers): boolean {
  const reason = headers.get('ratelimit-reason')
  if (reason) return reason.includes('quota')
  return itemsOf(headers.get('ratelimit')).some(({ name, r }) => name.includes('quota') && r === 0)
}

function untilResetMs(headers: Headers, limited: 'burst' | 'quota', now: number): number | null {
  // The header also lists quotas that are not used up, with their own reset.
  const exhausted = [...itemsOf(headers.get('ratelimit')), ...itemsOf(headers.get('beta-ratelimit'))].filter(
    ({ r }) => r === 0 || (r === null && limited === 'quota'),
  )
  const seconds = exhausted.flatMap(({ t }) => (t === null ? [] : [t]))
  if (seconds.length > 0) return Math.max(...seconds) * 1000
  const reset = parseReset(headers.get('x-ratelimit-reset')?.trim() ?? '')
  if (reset !== null) return Math.max(0, reset - now)
  // Some servers refill their bucket once per interval.
  const interval = Number(headers.get('x-ratelimit-interval-seconds') ?? Number.NaN)
  if (interval > 0 && headers.get('x-ratelimit-remaining')?.trim() === '0') return interval * 1000
  // Quotas reset with every hour of UTC.
  return limited === 'quota' ? HOUR_MS - (now % HOUR_MS) : null
}

const HOUR_MS = 3_600_000

/** An ISO 8601 time, sometimes without seconds, or seconds since 1970. */
function parseReset(text: string): number | null {
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000
  const date = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : date
}

/** Less than a fifth of the quota is left, as `x-ratelimit-nearlimit` means it. */
function isNearLimit(headers: Headers): boolean {
  if (headers.get('x-ratelimit-nearlimit')?.trim().toLowerCase() === 'true') return true
  return ['', 'beta-'].some((prefix) => {
    const quotas = new Map(itemsOf(headers.get(`${prefix}ratelimit-policy`)).map(({ name, q }) => [name, q]))
    return itemsOf(headers.get(`${prefix}ratelimit`)).some(({ name, r }) => {
      const q = quotas.get(name) ?? null
      return r !== null && (r === 0 || (q !== null && r < q / 5))
    })
  })
}

type Item = { name: string; r: number | null; t: number | null; q: number | null }

/** `"tenant-app-quota";r=0;t=60`: remaining (r), seconds to the reset (t), quota (q). */
function itemsOf(header: string | null): Item[] {
  return (header ?? '').split(',').flatMap((text) => {
    const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
    if (!name) return []
    const value = (key: string) => {
      const found = parameters.find((parameter) => parameter.startsWith(`${key}=`))
      const number = found ? Number(found.slice(key.length + 1)) : Number.NaN
      return number >= 0 ? number : null
    }
    return [{ name: name.replaceAll('"', ''), r: value('r'), t: value('t'), q: value('q') }]
  })
}
