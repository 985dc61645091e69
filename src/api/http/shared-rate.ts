import type { RateLimitPluginOptions } from '@fastify/rate-limit'
import { LRUCache } from 'lru-cache'
import type { CountLimit, LimitCounts } from '../../store/counts/counts.ts'

/** `taken` is what all processes have leased; `free` is left of this one's. */
type Lease = { endsAt: number; taken: number; free: number; waiting: number; renewal: Promise<void> | null }
type Done = (error: Error | null, result?: { current: number; ttl: number }) => void

/** A process leases a part of what is left in advance, so that few requests wait for the database. */
const SHARE = 1 / 20

/** Counts the requests of all processes together. The library creates a store for each registration; these share it. */
export function sharedRate(counts: LimitCounts, name: string): NonNullable<RateLimitPluginOptions['store']> {
  const leases = new LRUCache<string, Lease>({ max: 10_000 })

  function leaseOf(key: string): Lease {
    const found = leases.get(key)
    if (found && (found.renewal || Date.now() < found.endsAt)) return found
    const lease = { endsAt: 0, taken: 0, free: 0, waiting: 0, renewal: null }
    leases.set(key, lease)
    return lease
  }

  async function renew(lease: Lease, key: string, limit: CountLimit): Promise<void> {
    const wanted = Math.min(limit.max, Math.max(chunkOf(lease, limit), lease.waiting))
    // Processes with another limit, such as during a change of the setting, count apart.
    const counted = `${name} ${limit.max} ${key}`
    const { granted, taken, leftMs } = await counts.take(counted, wanted, limit)
    const endsAt = Date.now() + leftMs
    const isNext = endsAt - lease.endsAt > limit.windowMs / 2
    lease.free = granted + (isNext ? 0 : lease.free)
    lease.taken = Math.min(limit.max, taken)
    lease.endsAt = endsAt
  }

  async function take(key: string, limit: CountLimit): Promise<{ current: number; ttl: number }> {
    const lease = leaseOf(key)
    const renewOnce = () => {
      lease.renewal ??= renew(lease, key, limit).finally(() => {
        lease.renewal = null
      })
      return lease.renewal
    }
    lease.waiting++
    try {
      while (lease.free === 0 && lease.taken < limit.max) await renewOnce()
    } finally {
      lease.waiting--
    }
    const ttl = Math.max(0, lease.endsAt - Date.now())
    if (lease.free === 0) return { current: limit.max + 1, ttl }
    lease.free--
    const chunk = chunkOf(lease, limit)
    if (chunk > 1 && lease.free < chunk / 2) renewOnce().catch(() => {})
    return { current: lease.taken - lease.free, ttl }
  }

  return class {
    incr(key: string, done: Done, windowMs = 60_000, max = 1): void {
      take(key, { max, windowMs }).then((result) => done(null, result), done)
    }
    child() {
      return this
    }
  }
}

function chunkOf({ taken }: Lease, { max }: CountLimit): number {
  return Math.ceil((max - taken) * SHARE)
}
