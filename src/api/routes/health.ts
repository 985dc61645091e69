import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { permissionAges } from '../../store/ledger/scopes.ts'
import type { App } from '../context.ts'
import type { Uploads } from '../forms/uploads.ts'
import { addUploadMetrics } from '../upload-metrics.ts'

/** For monitoring, without a key; the responses hold no names. */
export function healthRoutes(app: App, db: Database, uploads: Uploads): void {
  const registry = metrics(db)
  addUploadMetrics(registry, { db, uploads }, (work) => withTimeout(work).catch(() => null))
  const tags = ['health']
  const state = z.object({ status: z.string() })

  app.get('/healthz', { schema: { tags, response: { 200: state } } }, async () => ({ status: 'ok' }))

  app.get('/readyz', { schema: { tags, response: { 200: state, 503: state } } }, async (_request, reply) => {
    try {
      await withTimeout(sql`select 1`.execute(db))
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ status: 'the database does not answer' })
    }
  })

  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
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
  const ages = () => withTimeout(permissionAges(db)).catch(() => null)
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
