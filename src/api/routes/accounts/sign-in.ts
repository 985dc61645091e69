import rateLimit from '@fastify/rate-limit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { createAttemptLimit } from '../../../accounts/attempt-limit.ts'
import { AUTH_PATH, type Identity } from '../../../accounts/identity.ts'
import { OIDC } from '../../../accounts/oidc.ts'
import { SETUP_STATE_KEY } from '../../../accounts/oidc-admission.ts'
import type { Person } from '../../../accounts/roles.ts'
import { networkOf, signInLimits } from '../../../accounts/sign-in-limits.ts'
import { hashOf } from '../../../accounts/tokens.ts'
import { AppError } from '../../../errors.ts'
import type { Resources } from '../../../jobs/resources.ts'
import { recordInAllWorkspaces } from '../../../store/accounts/audit.ts'
import { forgetPasswordReset } from '../../../store/accounts/password-resets.ts'
import { sameEmail } from '../../../store/accounts/people.ts'
import { personBy } from '../../authentication.ts'
import type { App } from '../../context.ts'
import { keepBodiesSmall } from '../../declarations.ts'
import { invalid } from '../../errors.ts'
import { refuseUnstorable } from '../../intake.ts'
import { refuseForeign, refuseOtherSites, sendCookies, toFetchRequest } from '../../origin.ts'
import { emailField, givenPasswordField, passwordField } from '../../shapes/account.ts'

// Whoever is signed in and does not know their password; it may be somebody else's browser.
const OWN_PASSWORD = { max: 10, windowMs: 15 * 60_000 }

/**
 * The few doors of the identity library that are open, each by name: what it has beside them (signing up, changing
 * an address, deleting oneself, unlinking) does not exist here. Its refusals leave in our own form.
 */
export async function signInRoutes(
  app: App,
  { db }: Pick<Resources, 'db'>,
  { identity, rateLimit: max }: { identity: Identity; rateLimit: number },
): Promise<void> {
  const signingIn = signInLimits()
  const byPerson = createAttemptLimit(OWN_PASSWORD)
  keepBodiesSmall(app)
  app.addHook('preValidation', refuseUnstorable)
  await app.register(rateLimit, {
    max,
    timeWindow: 60_000,
    hook: 'onRequest',
    keyGenerator: ({ ip }) => networkOf(ip),
  })
  const hide = { hide: true }

  const ask = async (request: FastifyRequest, reply: FastifyReply, to: { path: string; body?: unknown }) => {
    const response = await identity.handle(toFetchRequest(request, AUTH_PATH + to.path, to.body))
    sendCookies(request, reply, response.headers.getSetCookie())
    reply.header('cache-control', 'no-store')
    return response
  }

  /** What somebody does to their own account, as the contract of the library has it. */
  const own = async (request: FastifyRequest, reply: FastifyReply): Promise<Person> => {
    const person = await personBy(identity, request, reply)
    if (!person) throw new AppError('unauthorized', 'you are not signed in')
    refuseForeign(request)
    return person
  }

  const credentials = z.object({
    email: emailField,
    password: givenPasswordField,
    rememberMe: z.boolean().optional(),
  })
  app.post('/sign-in/email', { schema: { ...hide, body: credentials } }, async (request, reply) => {
    refuseOtherSites(request)
    const email = sameEmail(request.body.email)
    wait(reply, signingIn.begin(email, request.ip))
    const response = await ask(request, reply, { path: '/sign-in/email', body: request.body })
    if (!response.ok) throw wrongCredentials(response)
    signingIn.succeeded(email, request.ip)
    return { user: userOf(await response.json()) }
  })

  const path = z.string().regex(/^\/(?![/\\])/, 'should be a path of this site, such as /')
  const outside = z.object({
    providerId: z.literal(OIDC),
    callbackURL: path.default('/'),
    errorCallbackURL: path.default('/sign-in'),
    setup_token: z.string().max(100).optional(),
  })
  app.post('/sign-in/oauth2', { schema: { ...hide, body: outside } }, async (request, reply) => {
    refuseOtherSites(request)
    if (!identity.oidc) throw new AppError('not_found', 'no identity provider is configured')
    const { callbackURL, errorCallbackURL, setup_token: token } = request.body
    const additionalData = token ? { [SETUP_STATE_KEY]: hashOf(token) } : {}
    const body = { provider: OIDC, callbackURL, errorCallbackURL, disableRedirect: true, additionalData }
    const response = await ask(request, reply, { path: '/sign-in/social', body })
    if (!response.ok)
      throw new AppError('source_unreachable', 'the identity provider does not answer as it should')
    return { url: z.object({ url: z.string() }).parse(await response.json()).url }
  })

  // The only one that a browser comes to from another site; the state, and the cookie beside it, say that it left here.
  app.get(`/callback/${OIDC}`, { schema: hide }, async (request, reply) => {
    const query = request.url.replace(/^[^?]*/, '')
    const response = await ask(request, reply, { path: `/callback/${OIDC}${query}` })
    return reply.redirect(response.headers.get('location') ?? '/sign-in?error=failed')
  })

  app.post('/sign-out', { schema: hide }, async (request, reply) => {
    refuseForeign(request)
    await ask(request, reply, { path: '/sign-out', body: {} })
    return {}
  })

  app.get('/list-sessions', { schema: hide }, async (request, reply) => {
    await own(request, reply)
    const response = await ask(request, reply, { path: '/list-sessions' })
    if (!response.ok) throw refused(response)
    const mine = await identity.signedIn(toFetchRequest(request, '/').headers, { prolong: false })
    const sessions = z.array(z.looseObject({ id: z.string() })).parse(await response.json())
    return sessions.map((session) => ({ ...session, current: session.id === mine?.sessionId }))
  })

  const one = z.object({ token: z.string().max(200) })
  app.post('/revoke-session', { schema: { ...hide, body: one } }, async (request, reply) => {
    const person = await own(request, reply)
    const response = await ask(request, reply, { path: '/revoke-session', body: request.body })
    if (!response.ok) throw refused(response)
    await recordInAllWorkspaces(db, person.id, { action: 'end_session', subject: { which: 'one' } })
    return {}
  })

  app.post('/revoke-other-sessions', { schema: hide }, async (request, reply) => {
    const person = await own(request, reply)
    const response = await ask(request, reply, { path: '/revoke-other-sessions', body: {} })
    if (!response.ok) throw refused(response)
    await recordInAllWorkspaces(db, person.id, { action: 'end_session', subject: { which: 'all others' } })
    return {}
  })

  const change = z.object({
    currentPassword: givenPasswordField,
    newPassword: passwordField,
    revokeOtherSessions: z.boolean().default(true),
  })
  app.post('/change-password', { schema: { ...hide, body: change } }, async (request, reply) => {
    const person = await own(request, reply)
    wait(reply, byPerson.begin(person.id))
    const response = await ask(request, reply, { path: '/change-password', body: request.body })
    if (!response.ok) throw await passwordRefused(response)
    byPerson.forget(person.id)
    // A link that was asked for before would undo it.
    await forgetPasswordReset(db, person.id)
    await recordInAllWorkspaces(db, person.id, { action: 'change_password', subject: {} })
    return {}
  })
}

function wait(reply: FastifyReply, seconds: number): void {
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

/** One answer for an address that is not known, one without a password, and a wrong password. */
function wrongCredentials(response: Response): Error {
  if (response.status >= 500) return refused(response)
  return new AppError('unauthorized', 'the e-mail address or the password is wrong')
}

async function passwordRefused(response: Response): Promise<Error> {
  const { code } = z.object({ code: z.string().optional() }).parse(await response.json().catch(() => ({})))
  if (code === 'INVALID_PASSWORD') return invalid(['body', 'currentPassword'], 'this is not your password')
  if (code === 'CREDENTIAL_ACCOUNT_NOT_FOUND') {
    return new AppError(
      'not_possible',
      'your account has no password; you sign in through an identity provider',
    )
  }
  return refused(response)
}

function refused({ status }: Response): Error {
  if (status === 401) return new AppError('unauthorized', 'you are not signed in')
  if (status < 500) return new AppError('forbidden', 'this is not possible for you')
  return new Error(`the identity library answered with ${status}; what it met stands in the log before this`)
}
