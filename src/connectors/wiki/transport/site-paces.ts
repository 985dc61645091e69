import { LRUCache } from 'lru-cache'
import type { Egress } from '../../egress/egress.ts'
import { createPace, type RequestPace } from './pacing.ts'
import type { Site } from './site.ts'

/** Two hours outlast every pause; 256 are more sites than one process works on in that time. */
const KEPT = { max: 256, ttl: 2 * 3_600_000, updateAgeOnGet: true }

const paces = new WeakMap<Egress, LRUCache<string, RequestPace>>()

/**
 * One pace for each site, shared by all that ask it through the same way out: jobs, checks, and whoever asks without
 * an account. The wiki counts them together, too. Behind the gateway the path tells sites apart.
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
