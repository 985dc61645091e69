import { LRUCache } from 'lru-cache'
import type { Egress } from '../../egress/egress.ts'
import { createPace, type RequestPace } from './pacing.ts'
import type { Site } from './site.ts'

/** Two hours outlast every pause; 256 sites are more than a process reads. */
const KEPT = { max: 256, ttl: 2 * 3_600_000, updateAgeOnGet: true }

const paces = new WeakMap<Egress, LRUCache<string, RequestPace>>()

/**
 * One pace per site for all requests, because the wiki counts them together. At the gateway the path
 * identifies the site.
 */
export function paceOf(egress: Egress, { origin, prefix }: Pick<Site, 'origin' | 'prefix'>): RequestPace {
  let sites = paces.get(egress)
  if (!sites) {
    sites = new LRUCache(KEPT)
    paces.set(egress, sites)
  }
  const key = `${origin}${prefix}`
  const known = sites.get(key)
  if (known) return known
  const pace = createPace()
  sites.set(key, pace)
  return pace
}
