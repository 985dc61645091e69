import type { Answer } from './http.ts'
import type { World } from './model.ts'

/** A token bucket per site, when `settings.rateLimit` is set: refused requests cost nothing, as in the wiki. */
export interface RateLimits {
  refuse: (site: 'cloud' | 'dataCenter') => Answer | undefined
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
      const headers = { 'retry-after': String(seconds), 'ratelimit-reason': 'confluence-burst-based' }
      return { status: 429, headers, body: { code: 429, message: 'Rate limit exceeded' } }
    },
    headers(site) {
      const limit = world.settings.rateLimit
      if (limit === null) return {}
      const remaining = Math.max(0, Math.floor(buckets[site].tokens))
      const common = {
        'x-ratelimit-limit': String(limit.capacity),
        'x-ratelimit-remaining': String(remaining),
      }
      if (site === 'dataCenter') {
        return {
          ...common,
          'x-ratelimit-fillrate': String(limit.perSecond),
          'x-ratelimit-interval-seconds': '1',
        }
      }
      const reset = new Date(Date.now() + 60_000).toISOString().replace(/:\d\d\.\d{3}Z$/, 'Z')
      return {
        ...common,
        'x-ratelimit-reset': reset,
        'x-ratelimit-nearlimit': String(remaining < limit.capacity / 5),
      }
    },
  }
}
