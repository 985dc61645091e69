import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { App } from './context.ts'

const WINDOW_MS = 60_000

export type WorkspaceRate = RateLimitPluginOptions

/** One count per workspace, so that more keys do not allow more requests. All parts of the API share it. */
export function createWorkspaceRate(max: number): WorkspaceRate {
  return {
    max,
    timeWindow: WINDOW_MS,
    hook: 'onRequest',
    // Other limits apply to requests without a workspace.
    allowList: ({ caller }: FastifyRequest) => caller === null,
    keyGenerator: ({ caller }: FastifyRequest) => caller?.workspaceId ?? '',
    store: sharedStore(),
    errorResponseBuilder: (_request, { after }) =>
      Object.assign(
        new Error(`Rate limit of the workspace exceeded (${max} requests per minute), retry in ${after}`),
        { statusCode: 429 },
      ),
  }
}

/** Registered before the limit per caller, whose headers a successful response shows. */
export async function limitWorkspaces(api: App, rate: WorkspaceRate): Promise<void> {
  await api.register(rateLimit, rate)
}

type Count = { current: number; startedAt: number }
type Done = (error: Error | null, result?: { current: number; ttl: number }) => void

/** The library creates a store for each registration; these share their counts. */
function sharedStore(): NonNullable<RateLimitPluginOptions['store']> {
  const counts = new LRUCache<string, Count>({ max: 10_000 })
  return class {
    incr(key: string, done: Done): void {
      const now = Date.now()
      const found = counts.get(key)
      const count = found && now - found.startedAt < WINDOW_MS ? found : { current: 0, startedAt: now }
      count.current++
      counts.set(key, count)
      done(null, { current: count.current, ttl: WINDOW_MS - (now - count.startedAt) })
    }
    child() {
      return this
    }
  }
}
