import { sql } from 'kysely'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import type { App } from '../context.ts'

/** For whoever watches the process: alive, ready, and in numbers. No key is needed; nothing here names anything. */
export function healthRoutes(app: App, db: Database): void {
  const registry = metrics(db)
  const tags = ['health']
  const state = z.object({ status: z.string() })

  app.get('/healthz', { schema: { tags, response: { 200: state } } }, async () => ({ status: 'ok' }))

  app.get('/readyz', { schema: { tags, response: { 200: state, 503: state } } }, async (_request, reply) => {
    try {
      await sql`select 1`.execute(db)
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
      const rows = await db
        .selectFrom('jobs')
        .select(['status', (eb) => eb.fn.countAll<string>().as('count')])
        .groupBy('status')
        .execute()
      for (const row of rows) this.set({ status: row.status }, Number(row.count))
    },
  })
  return registry
}
