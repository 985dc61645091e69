import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify, { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify'
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod'
import type { Keys } from '../accounts/keys.ts'
import { AppError } from '../errors.ts'
import type { ApiContext, App } from './context.ts'
import { sendError } from './errors.ts'
import { catalogueRoutes } from './routes/catalogue.ts'
import { connectorRoutes } from './routes/connectors.ts'
import { healthRoutes } from './routes/health.ts'
import { jobDocumentRoutes } from './routes/job-documents.ts'
import { jobRoutes } from './routes/jobs.ts'
import { searchRoutes } from './routes/search.ts'
import { workflowRoutes } from './routes/workflows.ts'

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
  }).withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ detail: 'Not Found', code: 'not_found' }),
  )
  // Files are refused by the routes that could be sent some; the body itself is of no interest to them.
  app.addContentTypeParser('multipart/form-data', (_request, payload, done) => {
    payload.resume()
    done(null, null)
  })

  await app.register(helmet)
  await app.register(swagger, {
    openapi: {
      info: { title: 'Millrace', description: 'Carries a wiki into a search index.', version: '1' },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
    transform: jsonSchemaTransform,
  })
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  healthRoutes(app, context.resources.db)

  await app.register(
    async (scope) => {
      const api = scope.withTypeProvider<ZodTypeProvider>() as App
      api.decorateRequest('caller', null)
      api.addHook('onRequest', async (request) => {
        request.caller = await authenticate(request, keys)
      })
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

async function authenticate(request: FastifyRequest, keys: Keys) {
  const key = keyOf(request)
  if (!key) throw new AppError('unauthorized', 'API key is missing, please provide an API key in the header.')
  const caller = await keys.caller(key)
  if (!caller) throw new AppError('unauthorized', 'this API key is not known, or is disabled')
  return caller
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1]
  return [bearer, headers['x-api-key'], headers['unstructured-api-key']].flat().find((key) => key)
}
