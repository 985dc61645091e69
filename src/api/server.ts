import { Readable } from 'node:stream'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Identity } from '../accounts/identity.ts'
import type { Keys } from '../accounts/keys.ts'
import { networkOf } from '../accounts/sign-in-limits.ts'
import { authentication, isStillAllowed } from './authentication.ts'
import type { ApiContext, App } from './context.ts'
import { requireDeclarations } from './declarations.ts'
import { sendError } from './errors.ts'
import { endWhenRefused } from './event-stream.ts'
import { createMemberships } from './memberships.ts'
import { openapi } from './openapi.ts'
import { page } from './page.ts'
import { acceptBodies, refuseUnstorable } from './request-bodies.ts'
import { accountRoutes } from './routes/accounts/account.ts'
import { auditRoutes } from './routes/accounts/audit.ts'
import { invitationRoutes } from './routes/accounts/invitations.ts'
import { keyRoutes } from './routes/accounts/keys.ts'
import { leaveRoutes } from './routes/accounts/leave.ts'
import { memberRoutes } from './routes/accounts/members.ts'
import { passwordResetRoutes } from './routes/accounts/password-resets.ts'
import { sessionRoutes } from './routes/accounts/session.ts'
import { setupRoutes } from './routes/accounts/setup.ts'
import { signInRoutes } from './routes/accounts/sign-in.ts'
import { workspaceRoutes } from './routes/accounts/workspaces.ts'
import { catalogueRoutes } from './routes/catalogue.ts'
import { connectorRoutes } from './routes/connectors.ts'
import { elementRoutes } from './routes/elements.ts'
import { explainRoutes } from './routes/explain.ts'
import { generalRoutes } from './routes/general.ts'
import { generationRoutes } from './routes/generations.ts'
import { healthRoutes } from './routes/health.ts'
import { documentHistoryRoutes } from './routes/jobs/document-history.ts'
import { eventRoutes } from './routes/jobs/events.ts'
import { jobDocumentRoutes } from './routes/jobs/job-documents.ts'
import { jobLogRoutes } from './routes/jobs/job-log.ts'
import { jobRoutes } from './routes/jobs/jobs.ts'
import { onDemandRoutes } from './routes/jobs/on-demand.ts'
import { optionRoutes } from './routes/options.ts'
import { overviewRoutes } from './routes/overview.ts'
import { peopleRoutes } from './routes/people.ts'
import { previewRoutes } from './routes/preview.ts'
import { sampleRoutes } from './routes/samples.ts'
import { searchRoutes } from './routes/search.ts'
import { tokensRoutes } from './routes/tokens.ts'
import { verifyRoutes } from './routes/verify.ts'
import { workflowRoutes } from './routes/workflows.ts'
import { handleUnknownRoutes } from './unknown-routes.ts'
import { validatorCompiler } from './validation.ts'

type ServerOptions = {
  keys: Keys
  identity: Identity
  rateLimit: number
  trustedProxies: string[]
  log: FastifyBaseLogger
}

// How soon an open stream notices an ended session or key.
const RECHECK_MS = 15_000

/** `/api/v1` needs a key or session, `/api/auth` creates sessions; health, docs and page are open. */
export async function createServer(context: ApiContext, options: ServerOptions): Promise<App> {
  const app: App = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1024 * 1024,
    // Clients call collections with and without a slash, and some follow no redirect.
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: sendError,
    // Without trusted proxies, everyone behind one would share a rate limit.
    trustProxy: options.trustedProxies,
  }).withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(sendError)
  app.decorate('declarations', [])
  app.decorateRequest('caller', null)
  app.decorateRequest('person', null)
  handleUnknownRoutes(app)
  acceptBodies(app)

  // Without a proxy, the page is served over plain http.
  const directives = { upgradeInsecureRequests: null }
  await app.register(helmet, { contentSecurityPolicy: { directives } })
  await app.register(swagger, openapi)
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, transformStaticCSP: overPlainHttp })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  healthRoutes(app, context.resources.db)
  await page(app)

  // Returning the instance would wait for the whole server, because it is thenable.
  const withGuards = (routes: (api: App) => Promise<void>) => async (scope: FastifyInstance) => {
    await addGuards(scope as App, context, options)
    await routes(scope as App)
  }
  await app.register(
    withGuards((api) => apiRoutes(api, context, options)),
    { prefix: '/api/v1' },
  )
  await app.register(
    withGuards((api) => generalRoutes(api, context)),
    { prefix: '/general/v0' },
  )
  await app.register(async (scope) => signInRoutes(scope as App, context.resources, options), {
    prefix: '/api/auth',
  })
  return app
}

/** Every route added here must declare who may call it. */
async function addGuards(api: App, { resources }: ApiContext, options: ServerOptions): Promise<void> {
  const { keys, identity, rateLimit: max } = options
  requireDeclarations(api)
  const dependencies = { db: resources.db, keys, identity }
  api.addHook('onRequest', authentication(dependencies))
  // A long response must not outlast the permission to read it.
  api.addHook('onSend', async (request, _reply, payload) => {
    if (payload instanceof Readable)
      endWhenRefused(payload, { isAllowed: () => isStillAllowed(dependencies, request), everyMs: RECHECK_MS })
  })
  api.addHook('preValidation', refuseUnstorable)
  // After authentication, and before the body is read.
  await api.register(rateLimit, {
    max,
    timeWindow: 60_000,
    hook: 'onRequest',
    keyGenerator: ({ caller, person, ip }) =>
      caller?.kind === 'key' ? caller.actor : (person?.id ?? networkOf(ip)),
  })
}

async function apiRoutes(api: App, context: ApiContext, { keys, identity }: ServerOptions): Promise<void> {
  const { resources } = context
  connectorRoutes(api, 'source', context)
  connectorRoutes(api, 'destination', context)
  await workflowRoutes(api, context)
  jobRoutes(api, context)
  jobDocumentRoutes(api, context)
  jobLogRoutes(api, context)
  eventRoutes(api, context)
  previewRoutes(api, context)
  documentHistoryRoutes(api, context)
  optionRoutes(api, context)
  overviewRoutes(api, context)
  sampleRoutes(api, context)
  const memberships = createMemberships(context.resources.db, context.connections)
  searchRoutes(api, context, memberships)
  explainRoutes(api, context, memberships)
  tokensRoutes(api, context, memberships)
  verifyRoutes(api, context)
  generationRoutes(api, context)
  peopleRoutes(api, context)
  await elementRoutes(api, context)
  await onDemandRoutes(api, context)
  catalogueRoutes(api, context)

  const accounts = { resources, keys, identity }
  setupRoutes(api, accounts)
  sessionRoutes(api, accounts)
  accountRoutes(api, accounts)
  workspaceRoutes(api, accounts)
  memberRoutes(api, accounts)
  leaveRoutes(api, accounts)
  passwordResetRoutes(api, accounts)
  invitationRoutes(api, accounts)
  keyRoutes(api, accounts)
  auditRoutes(api, accounts)
}

function overPlainHttp(policy: string): string {
  return policy.replace(/\s*upgrade-insecure-requests;/, '')
}
