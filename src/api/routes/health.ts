import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { Database } from '../../store/database.ts'
import { permissionAges } from '../../store/ledger/scopes.ts'
import { cachedAnswer } from '../cached-answer.ts'
import type { App } from '../context.ts'
import type { Uploads } from '../forms/uploads.ts'
import { addUploadMetrics } from '../upload-metrics.ts'

/** Requests need no key, so they must not reach the database each time. */
const READINESS_MS = 1_000
const METRICS_MS = 5_000

/** For monitoring, without a key; the responses hold no names. */
export function healthRoutes(
  app: App,
  db: Database,
  { metricsToken = null, uploads }: { metricsToken?: string | null; uploads: Uploads },
): void {
  const registry = metrics(db)
  addUploadMetrics(registry, { db, uploads }, (work) => withTimeout(work).catch(() => null))
  const isReady = cachedAnswer(
    () =>
      withTimeout(sql`select 1`.execute(db)).then(
        () => true,
        () => false,
      ),
    { forMs: READINESS_MS },
  )
  const readMetrics = cachedAnswer(() => registry.metrics(), { forMs: METRICS_MS })
  const tags = ['health']
  const state = z.object({ status: z.string() })

  app.get('/healthz', { schema: { tags, response: { 200: state } } }, async () => ({ status: 'ok' }))

  app.get('/readyz', { schema: { tags, response: { 200: state, 503: state } } }, async (_request, reply) => {
    if (await isReady()) return { status: 'ready' }
    return reply.code(503).send({ status: 'the database does not answer' })
  })

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (metricsToken && !isToken(metricsToken, request.headers.authorization)) {
      reply.header('www-authenticate', 'Bearer')
      throw new AppError('unauthorized', 'the metrics need the token of MILLRACE_METRICS_TOKEN', {
        fix: 'Send it as Authorization: Bearer TOKEN',
      })
    }
    return reply.type(registry.contentType).send(await readMetrics())
  })
}

/** Takes the same time for every wrong token; the hashes have one length. */
function isToken(expected: string, authorization = ''): boolean {
  const given = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

function metrics(db: Database): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'millrace_jobs',
    help: 'Jobs by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      this.reset()
      // Process metrics work without the database.
      const rows = await withTimeout(countJobs(db)).catch(() => [])
      for (const row of rows) this.set({ status: row.status }, Number(row.count))
    },
  })
  // Two gauges of one response share the query.
  const ages = cachedAnswer(() => withTimeout(permissionAges(db)).catch(() => null), { forMs: READINESS_MS })
  new Gauge({
    name: 'millrace_permission_age_seconds',
    help: 'Age of the oldest permissions in force, over all scopes',
    registers: [registry],
    async collect() {
      this.reset()
      const found = await ages()
      if (found) this.set(found.oldestSeconds)
    },
  })
  new Gauge({
    name: 'millrace_hidden_scopes',
    help: 'Scopes that search hides because their permissions are too old',
    registers: [registry],
    async collect() {
      this.reset()
      const found = await ages()
      if (found) this.set(found.hiddenScopes)
    },
  })
  return registry
}

function countJobs(db: Database) {
  return db
    .selectFrom('jobs')
    .where('kind', '=', 'content')
    .select(['status', (eb) => eb.fn.countAll<string>().as('count')])
    .groupBy('status')
    .execute()
}

// Monitoring gives up after 10 s by default, as does a connection attempt.
const TIMEOUT_MS = 3_000

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const cancel = new AbortController()
  const timeout = sleep(TIMEOUT_MS, undefined, { signal: cancel.signal, ref: false }).then(() => {
    throw new Error(`no response within ${TIMEOUT_MS} ms`)
  })
  timeout.catch(() => {}) // `Promise.race` reports it
  try {
    return await Promise.race([work, timeout])
  } finally {
    cancel.abort()
  }
}
