import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Keys } from '../accounts/keys.ts'
import { authentication } from './authentication.ts'
import type { ApiContext, App } from './context.ts'
import { sendError } from './errors.ts'
import { acceptBodies, refuseUnstorable } from './intake.ts'
import { answerUnrouted } from './methods.ts'
import { openapi } from './openapi.ts'
import { catalogueRoutes } from './routes/catalogue.ts'
import { connectorRoutes } from './routes/connectors.ts'
import { healthRoutes } from './routes/health.ts'
import { jobDocumentRoutes } from './routes/job-documents.ts'
import { jobRoutes } from './routes/jobs.ts'
import { searchRoutes } from './routes/search.ts'
import { workflowRoutes } from './routes/workflows.ts'
import { validatorCompiler } from './validation.ts'

type Door = { keys: Keys; rateLimit: number; log: FastifyBaseLogger }

/** The HTTP door: `/api/v1` behind a key, and beside it what needs none. */
export async function createServer(
  context: ApiContext,
  { keys, rateLimit: perMinute, log }: Door,
): Promise<App> {
  const app: App = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1024 * 1024,
    // Collections are called with and without the slash, and some clients do not follow a redirect.
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: sendError,
  }).withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(sendError)
  answerUnrouted(app)
  acceptBodies(app)

  // The page and its scripts come over plain http wherever nothing stands in front of us.
  const directives = { upgradeInsecureRequests: null }
  await app.register(helmet, { contentSecurityPolicy: { directives } })
  await app.register(swagger, openapi)
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, transformStaticCSP: overPlainHttp })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  healthRoutes(app, context.resources.db)

  await app.register(
    async (scope) => {
      const api = scope.withTypeProvider<ZodTypeProvider>() as App
      api.decorateRequest('caller', null)
      const authenticate = authentication(keys)
      api.addHook('onRequest', async (request, reply) => {
        request.caller = await authenticate(request, reply)
      })
      api.addHook('preValidation', refuseUnstorable)
      await api.register(rateLimit, {
        max: perMinute,
        timeWindow: 60_000,
        hook: 'preHandler',
        keyGenerator: (request) => request.caller?.keyId ?? request.ip,
      })
      connectorRoutes(api, 'source', context)
      connectorRoutes(api, 'destination', context)
      workflowRoutes(api, context)
      jobRoutes(api, context)
      jobDocumentRoutes(api, context)
      searchRoutes(api, context)
      catalogueRoutes(api)
    },
    { prefix: '/api/v1' },
  )
  return app
}

function overPlainHttp(policy: string): string {
  return policy.replace(/\s*upgrade-insecure-requests;/, '')
}
