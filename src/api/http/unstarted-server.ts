import { pino } from 'pino'
import { type Registry, serviceConnectors } from '../../connectors/registry.ts'
import type { App } from './context.ts'
import { createServer } from './server.ts'

/** The routes without database and queue, to read their declarations and the OpenAPI document. */
export async function unstartedServer(registry: Registry = serviceConnectors): Promise<App> {
  // Registering routes uses no other part of the context.
  const app = await createServer(
    { resources: { registry } } as never,
    { rateLimit: 1, log: pino({ level: 'silent' }) } as never,
  )
  await app.ready()
  return app
}
