import { LRUCache } from 'lru-cache'
import type { Egress } from '../egress/egress.ts'
import type { SharedPace } from '../type.ts'
import { RequestPace } from './pacing.ts'

/** Two hours outlast every pause; 256 sites are more than a process reads. */
const CACHE_OPTIONS = { max: 256, ttl: 2 * 3_600_000, updateAgeOnGet: true }

const paces = new WeakMap<Egress, LRUCache<string, RequestPace>>()
const owners = new WeakMap<Egress, Egress>()
const sharedPaces = new WeakMap<Egress, SharedPace>()

/** Shares the budget of all sites with other processes from now on. */
export function sharePaces(egress: Egress, pace: SharedPace): void {
  sharedPaces.set(egress, pace)
}

/** Requests of `view`, which is `egress` with more trusted authorities, count as requests of `egress`. */
export function joinPaces(egress: Egress, view: Egress): void {
  owners.set(view, egress)
}

/** A system that counts its requests together; sites behind one gateway differ by `prefix`, a path. */
export type PacedSite = { origin: string; prefix: string }

/** One pace per site, for all requests of this process. */
export function paceOf(egress: Egress, { origin, prefix }: PacedSite): RequestPace {
  const owner = owners.get(egress) ?? egress
  let sites = paces.get(owner)
  if (!sites) {
    sites = new LRUCache(CACHE_OPTIONS)
    paces.set(owner, sites)
  }
  const key = `${origin}${prefix}`
  const known = sites.get(key)
  if (known) return known
  const shared = () => {
    const pace = sharedPaces.get(owner)
    return pace ? { site: key, pace } : null
  }
  const pace = new RequestPace({ shared })
  sites.set(key, pace)
  return pace
}
