import type { WikiResponse } from './http.ts'
import type { World } from './model/model.ts'
import type { RateLimit } from './model/settings.ts'
import { httpDateIn, rateHeaders } from './rate-headers.ts'

/** A token bucket per site; refused requests cost nothing. */
export interface RateLimits {
  refuse: (site: 'cloud' | 'dataCenter') => WikiResponse | undefined
  headers: (site: 'cloud' | 'dataCenter') => Record<string, string>
}

export function createRateLimits(world: World): RateLimits {
  const buckets = { cloud: { tokens: -1, at: 0 }, dataCenter: { tokens: -1, at: 0 } }
  return {
    refuse(site) {
      const limit = world.settings.rateLimit
      const bucket = buckets[site]
      if (limit === null) {
        bucket.tokens = -1
        return undefined
      }
      const now = performance.now()
      if (bucket.tokens < 0) bucket.tokens = limit.capacity
      else
        bucket.tokens = Math.min(limit.capacity, bucket.tokens + ((now - bucket.at) / 1000) * limit.perSecond)
      bucket.at = now
      if (bucket.tokens >= 1) {
        bucket.tokens--
        return undefined
      }
      const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / limit.perSecond))
      const headers = { ...retryAfter(limit, seconds), ...(site === 'cloud' ? reasonOf(limit) : {}) }
      return { status: 429, headers, body: { code: 429, message: 'Rate limit exceeded' } }
    },
    headers(site) {
      const limit = world.settings.rateLimit
      if (limit === null) return {}
      const remaining = Math.max(0, Math.floor(buckets[site].tokens))
      if (site === 'dataCenter') {
        return {
          'x-ratelimit-limit': String(limit.capacity),
          'x-ratelimit-remaining': String(remaining),
          'x-ratelimit-fillrate': String(limit.perSecond),
          'x-ratelimit-interval-seconds': '1',
        }
      }
      const { resetSeconds = false, structured = 'none', reason } = limit
      const state = { limit: limit.capacity, remaining, resetSeconds, structured }
      const { 'ratelimit-reason': _, ...others } = rateHeaders(
        reason === undefined ? state : { ...state, reason },
      )
      return others
    },
  }
}

const reasonOf = ({ reason = 'confluence-burst-based' }: RateLimit) => ({ 'ratelimit-reason': reason })

function retryAfter(limit: RateLimit, seconds: number): Record<string, string> {
  switch (limit.retryAfter ?? 'seconds') {
    case 'seconds':
      return { 'retry-after': String(seconds) }
    case 'date':
      return { 'retry-after': httpDateIn(seconds) }
    case 'none':
      return { 'x-failure-category': 'FAILURE_CLIENT_RATE_LIMITED' }
  }
}
