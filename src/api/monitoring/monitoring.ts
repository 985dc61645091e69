import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../store/database.ts'
import { createMetrics, METRICS_TYPE, type MetricsOptions } from './metrics.ts'
import { withTimeout } from './timeout.ts'

/** The content of `/healthz`, `/readyz` and `/metrics`, for the API and for the port of a worker. */
export type Monitoring = {
  /** Never asks the database: restarting this process would not help it. */
  health(): Status
  readiness(): Promise<Status>
  metrics(): Promise<{ type: string; text: string }>
  readFrom(db: Database): void
  /** Until then `/readyz` answers 503. */
  started(): void
  /** From now on `/readyz` answers 503. */
  draining(): void
  /** Waits until a load balancer that asks `/readyz` has noticed. */
  noticed(maxMs: number): Promise<void>
}
export type Status = { code: 200 | 503; status: string }

/** Probes come every few seconds; without a recent one no one waits for the answer. */
const PROBED_MS = 60_000
/** Load balancers ask every few seconds. */
const NOTICE_MS = 5_000

export function createMonitoring(options: MetricsOptions): Monitoring {
  const readMetrics = createMetrics(options)
  let db: Database | null = null
  let state: 'starting' | 'started' | 'draining' = 'starting'
  let wasStarted = false
  let probedAt = Number.NEGATIVE_INFINITY

  return {
    health: () => ({ code: 200, status: 'ok' }),
    async readiness() {
      probedAt = performance.now()
      if (state === 'draining') return { code: 503, status: 'the process stops' }
      if (state === 'starting' || !db) return { code: 503, status: 'the process starts' }
      try {
        await withTimeout(sql`select 1`.execute(db))
        return { code: 200, status: 'ready' }
      } catch {
        return { code: 503, status: 'the database does not answer' }
      }
    },
    metrics: async () => ({ type: METRICS_TYPE, text: await readMetrics(db) }),
    readFrom: (opened) => {
      db = opened
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
