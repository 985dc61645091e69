import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Registry } from 'prom-client'
import type { Database } from '../../../store/database.ts'
import { cachedAnswer } from '../cached-answer.ts'
import { createMetrics, METRICS_TYPE, type MetricsOptions } from './metrics.ts'
import { withTimeout } from './timeout.ts'

/** The content of `/healthz`, `/readyz` and `/metrics`, for the API and for the port of a worker. */
export type Monitoring = {
  /** Never asks the database: restarting this process would not help it. */
  health(): Status
  readiness(): Promise<Status>
  metrics(): Promise<{ type: string; text: string }>
  /** Whether the header carries the token, if one is set. */
  mayReadMetrics(authorization: string | undefined): boolean
  /** Adds metrics of a part that not every role has. */
  add(register: (registry: Registry) => void): void
  readFrom(db: Database): void
  /** Until then `/readyz` answers 503. */
  started(): void
  /** From now on `/readyz` answers 503. */
  draining(): void
  /** Waits until a load balancer that asks `/readyz` has noticed. */
  noticed(maxMs: number): Promise<void>
}
type Status = { code: 200 | 503; status: string }

/** Probes come every few seconds; if the last one is older, no load balancer has to notice. */
const PROBED_MS = 60_000
/** Load balancers ask every few seconds. */
const NOTICE_MS = 5_000
/** Requests need no key, so they must not reach the database each time. */
const CACHED_MS = 1_000

export const METRICS_REFUSAL = 'the metrics need the token of MILLRACE_METRICS_TOKEN'
export const METRICS_FIX = 'Send it as Authorization: Bearer TOKEN'

export function createMonitoring(options: MetricsOptions & { metricsToken?: string | null }): Monitoring {
  const { metricsToken = null } = options
  const metrics = createMetrics(options)
  let db: Database | null = null
  let state: 'starting' | 'started' | 'draining' = 'starting'
  let wasStarted = false
  let probedAt = Number.NEGATIVE_INFINITY
  const answers = (from: Database) =>
    withTimeout(sql`select 1`.execute(from)).then(
      () => true,
      () => false,
    )
  let isReachable = async () => false
  const readMetrics = cachedAnswer(() => metrics.read(db), { forMs: CACHED_MS })

  return {
    health: () => ({ code: 200, status: 'ok' }),
    async readiness() {
      probedAt = performance.now()
      if (state === 'draining') return { code: 503, status: 'the process stops' }
      if (state === 'starting' || !db) return { code: 503, status: 'the process starts' }
      if (await isReachable()) return { code: 200, status: 'ready' }
      return { code: 503, status: 'the database does not answer' }
    },
    metrics: async () => ({ type: METRICS_TYPE, text: await readMetrics() }),
    mayReadMetrics: (authorization) => metricsToken === null || isToken(metricsToken, authorization),
    add: (register) => register(metrics.registry),
    readFrom: (opened) => {
      db = opened
      isReachable = cachedAnswer(() => answers(opened), { forMs: CACHED_MS })
    },
    started: () => {
      state = 'started'
    },
    draining: () => {
      wasStarted = state === 'started'
      state = 'draining'
    },
    async noticed(maxMs) {
      if (wasStarted && performance.now() - probedAt < PROBED_MS) await sleep(Math.min(NOTICE_MS, maxMs))
    },
  }
}

/** Takes the same time for every wrong token; the hashes have one length. */
function isToken(expected: string, authorization = ''): boolean {
  const given = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
