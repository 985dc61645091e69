import type { RateReason } from './model/settings.ts'

/** The rate limit headers of Cloud, today's and the coming standard's. */
export interface RateState {
  limit?: number
  remaining?: number
  /** When the limit resets, in seconds from now; default one minute. */
  resetInSeconds?: number
  /** Whether the reset time has seconds; sometimes it has none. */
  resetSeconds?: boolean
  reason?: RateReason
  structured?: 'none' | 'plain' | 'beta'
}

export function rateHeaders(state: RateState): Record<string, string> {
  const { limit = 65_000, remaining = 0, resetInSeconds = 60, resetSeconds = false, reason } = state
  const near = remaining < limit / 5
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': resetIn(resetInSeconds, resetSeconds),
    'x-ratelimit-nearlimit': String(near),
    ...(reason === undefined ? {} : { 'ratelimit-reason': reason }),
    ...structuredHeaders(state, near),
  }
}

/** `r` is sent only near the limit. */
function structuredHeaders(state: RateState, near: boolean): Record<string, string> {
  const { structured = 'none', limit = 65_000, remaining = 0, resetInSeconds = 60, reason } = state
  if (structured === 'none') return {}
  const prefix = structured === 'beta' ? 'beta-' : ''
  const policy = reason === 'confluence-quota-tenant-based' ? '"tenant-app-quota"' : '"global-app-quota"'
  return {
    [`${prefix}ratelimit-policy`]: `${policy};q=${limit};w=3600`,
    [`${prefix}ratelimit`]: `${policy}${near ? `;r=${remaining}` : ''};t=${resetInSeconds}`,
  }
}

/** The date form of Retry-After; up to one second longer. */
export const httpDateIn = (seconds: number): string =>
  new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000).toUTCString()

/** Never too early: a time without seconds means the end of its minute. */
function resetIn(seconds: number, withSeconds: boolean): string {
  const unit = withSeconds ? 1000 : 60_000
  const at = new Date(Math.ceil((Date.now() + seconds * 1000) / unit) * unit).toISOString()
  return withSeconds ? at.replace(/\.\d{3}Z$/, 'Z') : at.replace(/:\d\d\.\d{3}Z$/, 'Z')
}

/** When the requested pause ends, in milliseconds since 1970. */
export function requestedPause(
  headers: Record<string, string | undefined>,
  { status, sentAt }: { status: number; sentAt: number },
): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const after = headers['retry-after']
  if (after !== undefined) return /^\d+$/.test(after) ? sentAt + Number(after) * 1000 : Date.parse(after)
  const reset = status === 429 ? headers['x-ratelimit-reset'] : undefined
  return reset === undefined ? undefined : Date.parse(reset)
}
