import { type Auth, type BetterAuthOptions, betterAuth } from 'better-auth'
import { LRUCache } from 'lru-cache'
import type { Database } from '../store/database.ts'
import { gate } from './admission.ts'
import type { Ask, OidcSettings } from './issuer.ts'
import { oidcPlugin, oidcProvider } from './oidc.ts'
import { PASSWORD_LENGTH } from './password-length.ts'
import type { Person } from './roles.ts'

/** Who is signed in. Everything about passwords, sessions and the flow of OIDC is better-auth's (decision 12). */
export interface Identity {
  /** Whether people can come through an identity provider. */
  readonly oidc: boolean
  /** Hands a request to the library; its address has to be ours as the browser sees it. */
  handle(request: Request): Promise<Response>
  /** The person of a session cookie, and the cookies to send where the session was prolonged, as it is by default. */
  signedIn(headers: Headers, options?: { prolong: boolean }): Promise<SignedIn | undefined>
  /** Cookies of a new session, for somebody who has just been made. */
  signIn(who: { email: string; password: string }, request: Request): Promise<string[]>
}

export type SignedIn = { person: Person; sessionId: string; cookies: string[] }

export type IdentityOptions = {
  /** Derived from the master key; signs cookies. */
  secret: string
  oidc: OidcSettings | null
  ask: Ask
  log: { warn(fields: object, message: string): void; debug(fields: object, message: string): void }
}

/** Set by us from the connection, never taken from a client: what the library notes as a session's address. */
export const ADDRESS_HEADER = 'x-millrace-address'
export const AUTH_PATH = '/api/auth'

const DAY_S = 24 * 3600

export function createIdentity(db: Database, options: IdentityOptions): Identity {
  // The library wants to know its own address beforehand and takes it from the environment otherwise. We are told
  // it by each request, so there is an instance for each address that is in use; making one takes 2 ms.
  const instances = new LRUCache<string, Auth<BetterAuthOptions>>({ max: 8 })
  const plugins = options.oidc ? [oidcPlugin(oidcProvider(db, options.oidc, options.ask))] : []
  const at = (origin: string) => {
    const known = instances.get(origin)
    if (known) return known
    const made = betterAuth<BetterAuthOptions>({ ...settings(db, options, origin), plugins })
    instances.set(origin, made)
    return made
  }
  // Reading a session needs no address.
  const reader = at('http://localhost')

  return {
    oidc: options.oidc !== null,
    handle: (request) => at(new URL(request.url).origin).handler(request),
    async signedIn(headers, { prolong } = { prolong: true }) {
      if (!headers.get('cookie')?.includes(COOKIE_PREFIX)) return undefined
      const query = { disableRefresh: !prolong }
      const { headers: sent, response } = await reader.api.getSession({ headers, query, returnHeaders: true })
      if (!response) return undefined
      const { id, email, name } = response.user
      return { person: { id, email, name }, sessionId: response.session.id, cookies: sent.getSetCookie() }
    },
    async signIn(body, request) {
      const auth = at(new URL(request.url).origin)
      const { headers } = await auth.api.signInEmail({ body, headers: request.headers, returnHeaders: true })
      return headers.getSetCookie()
    },
  }
}

const COOKIE_PREFIX = 'millrace'

function settings(db: Database, options: IdentityOptions, origin: string): BetterAuthOptions {
  const { secret, log } = options
  return {
    baseURL: origin,
    basePath: AUTH_PATH,
    // Both are given, so that nothing is taken from the environment.
    secret,
    secrets: [{ version: 1, value: secret }],
    trustedOrigins: [],
    telemetry: { enabled: false },
    database: { db, type: 'postgres', transaction: true },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH.least,
      maxPasswordLength: PASSWORD_LENGTH.most,
    },
    // Ours counts by e-mail address as well (src/api/routes/accounts/sign-in.ts).
    rateLimit: { enabled: false },
    onAPIError: { errorURL: '/sign-in' },
    logger: {
      level: 'warn',
      disableColors: true,
      // A wrong password is a warning there, and nothing that an operator has to read here.
      log: (level, message, ...rest) =>
        log[level === 'error' ? 'warn' : 'debug'](
          { err: rest.find((each) => each instanceof Error) },
          message,
        ),
    },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      // Never by a name of its own for https: the door adds `Secure`, and a cookie keeps its name behind a proxy.
      useSecureCookies: false,
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: 'uuid' },
    },
    ...tables,
    // Linking is asked for at the gate, which never allows it and says why; the library's own refusals are vaguer.
    account: { ...tables.account, accountLinking: { requireLocalEmailVerified: false } },
    user: { ...tables.user, validateUserInfo: gate },
  }
}

/** Their models in our tables; a session lasts seven days from the last day it was used. */
const tables = {
  user: {
    modelName: 'auth_users',
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: {
    modelName: 'auth_sessions',
    expiresIn: 7 * DAY_S,
    updateAge: DAY_S,
    // Zero is off: people may look at their sessions on the last day of one, too.
    freshAge: 0,
    fields: {
      userId: 'user_id',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      expiresAt: 'expires_at',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  account: {
    modelName: 'auth_accounts',
    fields: {
      userId: 'user_id',
      providerId: 'provider_id',
      accountId: 'account_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  verification: {
    modelName: 'auth_verifications',
    fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
} satisfies Partial<BetterAuthOptions>
