import { Readable } from 'node:stream'
import helmet from '@fastify/helmet'
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Identity } from '../../accounts/identity.ts'
import type { Keys } from '../../accounts/keys.ts'
import type { PersonTokens } from '../../accounts/person-token.ts'
import { networkOf } from '../../accounts/sign-in-limits.ts'
import type { Registry } from '../../connectors/registry.ts'
import { createPeopleComparison } from '../../search/compare-people.ts'
import { createMemberships, type Memberships } from '../../search/memberships.ts'
import { createNames, type Names } from '../../search/names.ts'
import { createSearchService } from '../../search/person-search.ts'
import { createSearchBackends } from '../../search/search-backends.ts'
import { createSearchPeople } from '../../search/search-person.ts'
import type { LimitCounts } from '../../store/counts/counts.ts'
import { sharedCounts } from '../../store/counts/shared-counts.ts'
import { accountRoutes } from '../routes/accounts/account.ts'
import { auditRoutes } from '../routes/accounts/audit.ts'
import { deleteWorkspaceRoute } from '../routes/accounts/delete-workspace.ts'
import { identityRoutes } from '../routes/accounts/identities.ts'
import { identityLinkRoutes } from '../routes/accounts/identity-links.ts'
import { identitySettingsRoutes } from '../routes/accounts/identity-settings.ts'
import { invitationRoutes } from '../routes/accounts/invitations.ts'
import { keyRoutes } from '../routes/accounts/keys.ts'
import { leaveRoutes } from '../routes/accounts/leave.ts'
import { memberRoutes } from '../routes/accounts/members.ts'
import { passwordResetRoutes } from '../routes/accounts/password-resets.ts'
import { personalTokenRoutes } from '../routes/accounts/personal-tokens.ts'
import { sessionRoutes } from '../routes/accounts/session.ts'
import { setupRoutes } from '../routes/accounts/setup.ts'
import { signInRoutes } from '../routes/accounts/sign-in.ts'
import { workspaceRoutes } from '../routes/accounts/workspaces.ts'
import { catalogueRoutes } from '../routes/connectors/catalogue.ts'
import { connectRoutes } from '../routes/connectors/connect.ts'
import { connectorRoutes } from '../routes/connectors/connectors.ts'
import { createIndexRoutes } from '../routes/connectors/create-index.ts'
import { optionRoutes } from '../routes/connectors/options.ts'
import { replacedIndexRoutes } from '../routes/connectors/replaced-indexes.ts'
import { sampleRoutes } from '../routes/connectors/samples.ts'
import { sandboxRoutes } from '../routes/connectors/sandbox.ts'
import { verifyRoutes } from '../routes/connectors/verify.ts'
import { documentRoutes } from '../routes/documents/documents.ts'
import { elementRoutes } from '../routes/files/elements.ts'
import { generalRoutes } from '../routes/files/general.ts'
import { previewRoutes } from '../routes/files/preview.ts'
import { healthRoutes } from '../routes/health.ts'
import { helpRoutes } from '../routes/help.ts'
import { documentHistoryRoutes } from '../routes/jobs/document-history.ts'
import { eventRoutes } from '../routes/jobs/events.ts'
import { jobActionRoutes } from '../routes/jobs/job-actions.ts'
import { jobDocumentRoutes } from '../routes/jobs/job-documents.ts'
import { jobLogRoutes } from '../routes/jobs/job-log.ts'
import { jobRoutes } from '../routes/jobs/jobs.ts'
import { uploadJobRoutes } from '../routes/jobs/upload-jobs.ts'
import { mcpRoutes } from '../routes/mcp.ts'
import { channelRoutes } from '../routes/notifications/channels.ts'
import { notificationRoutes } from '../routes/notifications/feed.ts'
import { overviewRoutes } from '../routes/overview.ts'
import { namesRoutes } from '../routes/search/names.ts'
import { peopleRoutes } from '../routes/search/people.ts'
import { readRoutes } from '../routes/search/read.ts'
import { readersRoutes } from '../routes/search/readers.ts'
import { explainRoutes, type SearchRoutes, searchRoutes } from '../routes/search/search.ts'
import { searchDestinationRoutes } from '../routes/search/search-destinations.ts'
import { tokensRoutes } from '../routes/search/tokens.ts'
import { estimateRoutes } from '../routes/workflows/estimate.ts'
import { scheduleRoutes } from '../routes/workflows/schedules.ts'
import { workflowRunRoutes } from '../routes/workflows/workflow-runs.ts'
import { workflowRoutes } from '../routes/workflows/workflows.ts'
import { sessionOf } from '../shapes/account.ts'
import { auditRoutesOf } from './audited-routes.ts'
import { authentication, isStillAllowed, signedInPerson } from './authentication.ts'
import { BODY_TIMES, limitBodyTime } from './body-time.ts'
import type { AccountLimits, ApiContext, App } from './context.ts'
import { requireDeclarations } from './declarations.ts'
import { endConnections } from './end-connections.ts'
import { sendError } from './errors.ts'
import { endWhenRefused } from './event-stream.ts'
import type { Monitoring } from './monitoring/monitoring.ts'
import { openapiOf } from './openapi/openapi.ts'
import { publicPathOf } from './origin.ts'
import { pageRoutes, type SendPage } from './page.ts'
import { acceptBodies, refuseUnstorable } from './request-bodies.ts'
import { sharedRate } from './shared-rate.ts'
import { handleUnknownRoutes } from './unknown-routes.ts'
import { sendUnreadable } from './unreadable-requests.ts'
import { refuseUnknownQueries, validatorCompiler } from './validation.ts'
import { createWorkspaceRate, limitWorkspaces, type WorkspaceRate } from './workspace-rate.ts'

type ServerOptions = {
  keys: Keys
  identity: Identity
  personTokens: PersonTokens
  rateLimit: number
  personRateLimit: number
  workspaceRateLimit: number
  accountLimits: AccountLimits
  publicUrls: readonly URL[]
  publicHosts: string[]
  trustedProxies: string[]
  monitoring: Monitoring
  log: FastifyBaseLogger
}

// How soon an open stream notices an ended session or key.
const RECHECK_MS = 15_000
const HEADERS_MS = 30_000

/** `/api/v1` needs a key or session, `/api/auth` creates sessions; health, docs and page are open. */
export async function createServer(context: ApiContext, options: ServerOptions): Promise<App> {
  const app: App = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1024 * 1024,
    // Fastify turns off Node's limit for a whole request.
    requestTimeout: BODY_TIMES.uploadMs + BODY_TIMES.stalledMs,
    http: { headersTimeout: HEADERS_MS },
    // Clients call collections with and without a slash, and some follow no redirect.
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: sendError,
    clientErrorHandler: sendUnreadable,
    // Without trusted proxies, everyone behind one would share a rate limit.
    trustProxy: options.trustedProxies,
  }).withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(sendError)
  app.decorate('declarations', [])
  app.decorate('publicUrls', options.publicUrls)
  app.decorateRequest('caller', null)
  app.decorateRequest('person', null)
  let sendPage: SendPage | null = null
  handleUnknownRoutes(app, () => sendPage)
  acceptBodies(app)
  limitBodyTime(app)
  endConnections(app)

  // Without a proxy, the page is served over plain http.
  const directives = { upgradeInsecureRequests: null }
  await app.register(helmet, { contentSecurityPolicy: { directives } })
  await documentationRoutes(app, context.resources.registry)
  helpRoutes(app)
  healthRoutes(app, options.monitoring)
  sendPage = await pageRoutes(app, {
    sessionOf: async (request, reply) => {
      const person = await signedInPerson(options.identity, request, reply)
      return person ? sessionOf(context.resources.db, person) : null
    },
  })

  // Returning the instance would wait for the whole server, because it is thenable.
  const counts = sharedCounts(context.resources.db)
  const workspaceRate = createWorkspaceRate(counts, options.workspaceRateLimit)
  const callerRate = sharedRate(counts, 'caller')
  const withGuards = (routes: (api: App) => Promise<void>) => async (child: FastifyInstance) => {
    await addGuards(child as App, context, { ...options, counts, workspaceRate, store: callerRate })
    await routes(child as App)
  }
  const searchAs = createSearchAs(context, options.personTokens)
  await app.register(
    withGuards((api) => apiRoutes(api, context, { ...options, searchAs, counts })),
    { prefix: '/api/v1' },
  )
  await app.register(async (child) => {
    const guard = (limitedBy: LimitedBy) =>
      addGuards(child as App, context, {
        ...options,
        rateLimit: options.personRateLimit,
        limitedBy,
        counts,
        workspaceRate,
        store: sharedRate(counts, 'assistant'),
      })
    const { people, service } = searchAs
    const backends = createSearchBackends(context, service)
    await mcpRoutes(child as App, { people, backends, publicHosts: options.publicHosts, guard })
  })
  await app.register(
    withGuards((api) => generalRoutes(api, context)),
    { prefix: '/general/v0' },
  )
  await app.register(async (child) => signInRoutes(child as App, context.resources, { ...options, counts }), {
    prefix: '/api/auth',
  })
  return app
}

async function documentationRoutes(app: App, registry: Registry): Promise<void> {
  await app.register(swagger, openapiOf(registry))
  // With a final slash, the page of the documentation names its files relatively.
  app.addHook('onRequest', async (request, reply) => {
    if (request.url !== '/docs' || !publicPathOf(request)) return
    return reply.redirect(`${publicPathOf(request)}/docs/`)
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    transformStaticCSP: allowPlainHttp,
    transformSpecification: (document, request) => servedAt(document, publicPathOf(request)),
    transformSpecificationClone: false,
  })
  app.get('/openapi.json', { schema: { hide: true } }, async (request) =>
    servedAt(app.swagger(), publicPathOf(request)),
  )
}

type LimitedBy = (request: FastifyRequest) => string | Promise<string>
type Guards = {
  limitedBy?: LimitedBy
  counts: LimitCounts
  workspaceRate: WorkspaceRate
  store: NonNullable<RateLimitPluginOptions['store']>
}

/** Every route added here must declare who may call it. */
async function addGuards(
  api: App,
  { resources }: ApiContext,
  options: ServerOptions & Guards,
): Promise<void> {
  const { keys, identity, rateLimit: max, limitedBy = byCaller, counts, store } = options
  requireDeclarations(api)
  const dependencies = { db: resources.db, keys, identity, counts }
  api.addHook('onRequest', authentication(dependencies))
  // A long response must not outlast the permission to read it.
  api.addHook('onSend', async (request, _reply, payload) => {
    if (payload instanceof Readable)
      endWhenRefused(payload, { isAllowed: () => isStillAllowed(dependencies, request), everyMs: RECHECK_MS })
  })
  api.addHook('preValidation', refuseUnstorable)
  // After authentication, and before the body is read.
  await limitWorkspaces(api, options.workspaceRate)
  await api.register(rateLimit, {
    max,
    timeWindow: 60_000,
    hook: 'onRequest',
    keyGenerator: limitedBy,
    store,
  })
}

function byCaller({ caller, person, ip }: FastifyRequest): string {
  return caller?.kind === 'key' ? caller.actor : (person?.id ?? networkOf(ip))
}

type SearchAs = SearchRoutes & { memberships: Memberships; names: Names }

function createSearchAs(context: ApiContext, personTokens: PersonTokens): SearchAs {
  const { resources, connections } = context
  const memberships = createMemberships(resources, connections)
  const names = createNames(context)
  const service = createSearchService(context, { memberships, names })
  const comparison = createPeopleComparison(context, { memberships, names })
  return { memberships, names, service, comparison, people: createSearchPeople(resources.db, personTokens) }
}

async function apiRoutes(
  api: App,
  context: ApiContext,
  options: ServerOptions & { searchAs: SearchAs; counts: LimitCounts },
): Promise<void> {
  const { keys, identity, personTokens, accountLimits, searchAs, counts } = options
  const { resources } = context
  refuseUnknownQueries(api)
  auditRoutesOf(api, resources.db)
  connectorRoutes(api, 'source', context)
  connectorRoutes(api, 'destination', context)
  await workflowRoutes(api, context)
  workflowRunRoutes(api, context)
  scheduleRoutes(api)
  estimateRoutes(api, context)
  jobRoutes(api, context)
  jobDocumentRoutes(api, context)
  jobActionRoutes(api, context)
  jobLogRoutes(api, context)
  eventRoutes(api, context)
  previewRoutes(api, context)
  documentHistoryRoutes(api, context)
  documentRoutes(api, context)
  connectRoutes(api, 'source', context)
  connectRoutes(api, 'destination', context)
  optionRoutes(api, context)
  overviewRoutes(api, context)
  sampleRoutes(api, context)
  sandboxRoutes(api, context)
  searchRoutes(api, context, searchAs)
  readersRoutes(api, context, searchAs.names)
  searchDestinationRoutes(api, context)
  readRoutes(api, context, searchAs)
  explainRoutes(api, context, searchAs)
  tokensRoutes(api, context, searchAs.memberships)
  verifyRoutes(api, context)
  createIndexRoutes(api, context)
  replacedIndexRoutes(api, context)
  peopleRoutes(api, context, searchAs.names)
  namesRoutes(api, context, searchAs.names)
  await elementRoutes(api, context)
  await uploadJobRoutes(api, context)
  catalogueRoutes(api, context)
  notificationRoutes(api, context)
  channelRoutes(api, context)

  const accounts = { resources, keys, identity, limits: accountLimits, counts }
  setupRoutes(api, accounts)
  sessionRoutes(api, accounts)
  accountRoutes(api, accounts)
  workspaceRoutes(api, accounts)
  deleteWorkspaceRoute(api, accounts)
  memberRoutes(api, accounts)
  leaveRoutes(api, accounts)
  passwordResetRoutes(api, accounts)
  invitationRoutes(api, accounts)
  keyRoutes(api, accounts)
  personalTokenRoutes(api, accounts)
  identitySettingsRoutes(api, context, personTokens)
  await identityRoutes(api, context)
  identityLinkRoutes(api, context, counts)
  auditRoutes(api, context)
}

function servedAt<T extends object>(document: T, path: string): T {
  return path ? { ...document, servers: [{ url: path }] } : document
}

function allowPlainHttp(policy: string): string {
  return policy.replace(/\s*upgrade-insecure-requests;/, '')
}
