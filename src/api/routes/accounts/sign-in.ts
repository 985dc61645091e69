import rateLimit from '@fastify/rate-limit'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { createAttemptLimit } from '../../../accounts/attempt-limit.ts'
import { AUTH_PATH, type Identity } from '../../../accounts/identity.ts'
import { OIDC } from '../../../accounts/oidc.ts'
import { SETUP_STATE_KEY } from '../../../accounts/oidc-admission.ts'
import type { Person } from '../../../accounts/roles.ts'
import { networkOf, signInLimits } from '../../../accounts/sign-in-limits.ts'
import { hashOf } from '../../../accounts/tokens.ts'
import { AppError, invalid } from '../../../errors.ts'
import type { Resources } from '../../../jobs/resources.ts'
import { recordInAllWorkspaces } from '../../../store/accounts/audit.ts'
import { deletePasswordReset } from '../../../store/accounts/password-resets.ts'
import { normalizeEmail } from '../../../store/accounts/people.ts'
import type { LimitCounts } from '../../../store/counts/counts.ts'
import type { Database } from '../../../store/database.ts'
import { signedInPerson } from '../../http/authentication.ts'
import type { App } from '../../http/context.ts'
import { limitBodies } from '../../http/declarations.ts'
import {
  publicPathOf,
  refuseOtherSites,
  requireOwnPage,
  sendCookies,
  toFetchRequest,
} from '../../http/origin.ts'
import { refuseUnstorable } from '../../http/request-bodies.ts'
import { sharedRate } from '../../http/shared-rate.ts'
import { emailField, givenPasswordField, passwordField } from '../../shapes/account.ts'

// Another person may use a signed-in browser to guess the password.
const PASSWORD_ATTEMPTS = { name: 'change of a password', max: 10, windowMs: 15 * 60_000 }

const hidden = { hide: true }

type SignInContext = { identity: Identity; counts: LimitCounts }

/**
 * Only these endpoints of the identity library exist, with our error format: no sign-up, account deletion or
 * unlinking.
 */
export async function signInRoutes(
  app: App,
  { db }: Pick<Resources, 'db'>,
  { identity, rateLimit: max, counts }: SignInContext & { rateLimit: number },
): Promise<void> {
  limitBodies(app)
  app.addHook('preValidation', refuseUnstorable)
  await app.register(rateLimit, {
    max,
    timeWindow: 60_000,
    hook: 'onRequest',
    keyGenerator: ({ ip }) => networkOf(ip),
    store: sharedRate(counts, 'sign-in'),
  })
  signInEndpoints(app, { identity, counts })
  sessionEndpoints(app, db, { identity, counts })
}

function signInEndpoints(app: App, { identity, counts }: SignInContext): void {
  const limits = signInLimits(counts)
  const credentials = z.object({
    email: emailField,
    password: givenPasswordField,
    rememberMe: z.boolean().optional(),
  })
  app.post('/sign-in/email', { schema: { ...hidden, body: credentials } }, async (request, reply) => {
    refuseOtherSites(request)
    const email = normalizeEmail(request.body.email)
    throwIfLimited(reply, await limits.begin(email, request.ip))
    const response = await callLibrary(identity, reply, {
      path: '/sign-in/email',
      body: request.body,
    })
    if (!response.ok) throw wrongCredentials(response)
    await limits.succeeded(email, request.ip)
    return { user: userOf(await response.json()) }
  })

  const path = z.string().regex(/^\/(?![/\\])/, 'should be a path of this site, such as /')
  const oauthBody = z.object({
    providerId: z.literal(OIDC),
    callbackURL: path.default('/'),
    errorCallbackURL: path.default('/sign-in'),
    setup_token: z.string().max(100).optional(),
  })
  app.post('/sign-in/oauth2', { schema: { ...hidden, body: oauthBody } }, async (request, reply) => {
    refuseOtherSites(request)
    if (!identity.oidc) throw new AppError('not_found', 'no identity provider is configured')
    const { setup_token: token } = request.body
    const path = publicPathOf(request)
    const callbackURL = path + request.body.callbackURL
    const errorCallbackURL = path + request.body.errorCallbackURL
    const additionalData = token ? { [SETUP_STATE_KEY]: hashOf(token) } : {}
    const body = { provider: OIDC, callbackURL, errorCallbackURL, disableRedirect: true, additionalData }
    const response = await callLibrary(identity, reply, { path: '/sign-in/social', body })
    if (!response.ok)
      throw new AppError('source_unreachable', 'the identity provider sent an unexpected response')
    return { url: z.object({ url: z.string() }).parse(await response.json()).url }
  })

  // Browsers come here from another site; state and cookie prove that the sign-in started here.
  app.get(`/callback/${OIDC}`, { schema: hidden }, async (request, reply) => {
    const query = request.url.replace(/^[^?]*/, '')
    const response = await callLibrary(identity, reply, { path: `/callback/${OIDC}${query}` })
    return reply.redirect(response.headers.get('location') ?? `${publicPathOf(request)}/sign-in?error=failed`)
  })

  app.post('/sign-out', { schema: hidden }, async (request, reply) => {
    requireOwnPage(request)
    await callLibrary(identity, reply, { path: '/sign-out', body: {} })
    return {}
  })
}

function sessionEndpoints(app: App, db: Database, { identity, counts }: SignInContext): void {
  const passwordAttempts = createAttemptLimit(counts, PASSWORD_ATTEMPTS)
  app.get('/list-sessions', { schema: hidden }, async (request, reply) => {
    await ownAccount(identity, reply)
    const response = await callLibrary(identity, reply, { path: '/list-sessions' })
    if (!response.ok) throw libraryError(response)
    const own = await identity.signedIn(toFetchRequest(request, '/').headers, { prolong: false })
    const sessions = z.array(z.looseObject({ id: z.string() })).parse(await response.json())
    return sessions.map((session) => ({ ...session, current: session.id === own?.sessionId }))
  })

  const sessionToken = z.object({ token: z.string().max(200) })
  app.post('/revoke-session', { schema: { ...hidden, body: sessionToken } }, async (request, reply) => {
    const person = await ownAccount(identity, reply)
    const response = await callLibrary(identity, reply, {
      path: '/revoke-session',
      body: request.body,
    })
    if (!response.ok) throw libraryError(response)
    await recordInAllWorkspaces(db, person.id, { action: 'end_session', subject: { which: 'one' } })
    return {}
  })

  app.post('/revoke-other-sessions', { schema: hidden }, async (_, reply) => {
    const person = await ownAccount(identity, reply)
    const response = await callLibrary(identity, reply, {
      path: '/revoke-other-sessions',
      body: {},
    })
    if (!response.ok) throw libraryError(response)
    await recordInAllWorkspaces(db, person.id, { action: 'end_session', subject: { which: 'all others' } })
    return {}
  })

  const passwordChange = z.object({
    currentPassword: givenPasswordField,
    newPassword: passwordField,
    revokeOtherSessions: z.boolean().default(true),
  })
  app.post('/change-password', { schema: { ...hidden, body: passwordChange } }, async (request, reply) => {
    const person = await ownAccount(identity, reply)
    throwIfLimited(reply, await passwordAttempts.begin(person.id))
    const response = await callLibrary(identity, reply, {
      path: '/change-password',
      body: request.body,
    })
    if (!response.ok) throw await passwordError(response)
    await passwordAttempts.reset(person.id)
    // An earlier reset link would undo the change.
    await deletePasswordReset(db, person.id)
    await recordInAllWorkspaces(db, person.id, { action: 'change_password', subject: {} })
    return {}
  })
}

async function callLibrary(
  identity: Identity,
  reply: FastifyReply,
  to: { path: string; body?: unknown },
): Promise<Response> {
  const { request } = reply
  const response = await identity.handle(toFetchRequest(request, AUTH_PATH + to.path, to.body))
  sendCookies(request, reply, response.headers.getSetCookie())
  reply.header('cache-control', 'no-store')
  return response
}

/** The signed-in person, for changes to their own account. */
async function ownAccount(identity: Identity, reply: FastifyReply): Promise<Person> {
  const { request } = reply
  const person = await signedInPerson(identity, request, reply)
  if (!person) throw new AppError('unauthorized', 'you are not signed in')
  requireOwnPage(request)
  return person
}

function throwIfLimited(reply: FastifyReply, seconds: number): void {
  if (seconds === 0) return
  reply.header('retry-after', seconds)
  throw new AppError('rate_limited', `too many attempts; try again in ${seconds} seconds`)
}

function userOf(body: unknown): Person {
  const { user } = z
    .object({ user: z.object({ id: z.string(), email: z.string(), name: z.string() }) })
    .parse(body)
  return user
}

/** One message for an unknown address, a missing password and a wrong one. */
function wrongCredentials(response: Response): Error {
  if (response.status >= 500) return libraryError(response)
  return new AppError('unauthorized', 'the e-mail address or the password is wrong')
}

async function passwordError(response: Response): Promise<Error> {
  const { code } = z.object({ code: z.string().optional() }).parse(await response.json().catch(() => ({})))
  if (code === 'INVALID_PASSWORD') return invalid(['body', 'currentPassword'], 'this is not your password')
  if (code === 'CREDENTIAL_ACCOUNT_NOT_FOUND') {
    return new AppError(
      'not_possible',
      'your account has no password; you sign in through an identity provider',
    )
  }
  return libraryError(response)
}

function libraryError({ status }: Response): Error {
  if (status === 401) return new AppError('unauthorized', 'you are not signed in')
  if (status < 500) return new AppError('forbidden', 'you may not do this')
  return new Error(`the identity library responded with ${status}; see the log entry before this one`)
}
