import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { App } from '../http/context.ts'
import { METRICS_FIX, METRICS_REFUSAL, type Monitoring } from '../http/monitoring/monitoring.ts'

/** For monitoring, without a key; the responses hold no names. */
export function healthRoutes(app: App, monitoring: Monitoring): void {
  const tags = ['health']
  const state = z.object({ status: z.string() })

  app.get('/healthz', { schema: { tags, response: { 200: state } } }, async () => ({
    status: monitoring.health().status,
  }))

  app.get('/readyz', { schema: { tags, response: { 200: state, 503: state } } }, async (_request, reply) => {
    const { code, status } = await monitoring.readiness()
    return reply.code(code).send({ status })
  })

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!monitoring.mayReadMetrics(request.headers.authorization)) {
      reply.header('www-authenticate', 'Bearer')
      throw new AppError('unauthorized', METRICS_REFUSAL, { fix: METRICS_FIX })
    }
    const { type, text } = await monitoring.metrics()
    return reply.type(type).send(text)
  })
}
