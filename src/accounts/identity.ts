import { type Auth, type BetterAuthOptions, betterAuth } from 'better-auth'
import { LRUCache } from 'lru-cache'
import type { Database } from '../store/database.ts'
import type { IssuerFetch, OidcSettings } from './issuer.ts'
import { oidcPlugin, oidcProvider } from './oidc.ts'
import { refuseNewUsers } from './oidc-admission.ts'
import { PASSWORD_LENGTH } from './password-length.ts'
import type { Person } from './roles.ts'

/** Who is signed in; better-auth does the work (decision 12). */
export interface Identity {
  /** Whether an identity provider is configured. */
  readonly oidc: boolean
  /** Passes a request to the library; its URL must match the browser's. */
  handle(request: Request): Promise<Response>
  /** The person of a session cookie, and cookies that prolong the session. */
  signedIn(headers: Headers, options?: { prolong: boolean }): Promise<SignedIn | undefined>
  /** Cookies of a new session, for a person just created. */
  signIn(who: { email: string; password: string }, request: Request): Promise<string[]>
}

type SignedIn = { person: Person; sessionId: string; cookies: string[] }

export type IdentityOptions = {
  /** Derived from the master key; signs cookies. */
  secret: string
  oidc: OidcSettings | null
  fetchIssuer: IssuerFetch
  log: { warn(fields: object, message: string): void; debug(fields: object, message: string): void }
}

/** The client's address for the library, set from the connection. */
export const ADDRESS_HEADER = 'x-millrace-address'
export const AUTH_PATH = '/api/auth'

const DAY_S = 24 * 3600

export function createIdentity(db: Database, options: IdentityOptions): Identity {
  // An instance of the library has a fixed base URL, so each URL gets its own (2 ms).
  const instances = new LRUCache<string, Auth<BetterAuthOptions>>({ max: 8 })
  const plugins = options.oidc ? [oidcPlugin(oidcProvider(db, options.oidc, options.fetchIssuer))] : []
  const instanceFor = (pageAddress: string) => {
    const existing = instances.get(pageAddress)
    if (existing) return existing
    const created = betterAuth<BetterAuthOptions>({ ...settings(db, options, new URL(pageAddress)), plugins })
    instances.set(pageAddress, created)
    return created
  }
  const reader = instanceFor('http://localhost')

  return {
    oidc: options.oidc !== null,
    handle: (request) => instanceFor(pageAddressIn(request.url)).handler(request),
    async signedIn(headers, { prolong } = { prolong: true }) {
      if (!headers.get('cookie')?.includes(COOKIE_PREFIX)) return undefined
      const query = { disableRefresh: !prolong }
      const { headers: responseHeaders, response } = await reader.api.getSession({
        headers,
        query,
        returnHeaders: true,
      })
      if (!response) return undefined
      const { id, email, name } = response.user
      return {
        person: { id, email, name },
        sessionId: response.session.id,
        cookies: responseHeaders.getSetCookie(),
      }
    },
    async signIn(body, request) {
      const auth = instanceFor(pageAddressIn(request.url))
      const { headers } = await auth.api.signInEmail({ body, headers: request.headers, returnHeaders: true })
      return headers.getSetCookie()
    },
  }
}

const COOKIE_PREFIX = 'millrace'

/** `https://tools.example.com/millrace` of an address below `/api/auth`. */
function pageAddressIn(url: string): string {
  return url.slice(0, url.indexOf(AUTH_PATH))
}

function settings(db: Database, options: IdentityOptions, page: URL): BetterAuthOptions {
  const { secret, log } = options
  const path = page.pathname.replace(/\/$/, '')
  return {
    baseURL: page.origin,
    basePath: path + AUTH_PATH,
    // Both are set, so that the library does not read the environment.
    secret,
    secrets: [{ version: 1, value: secret }],
    trustedOrigins: [],
    telemetry: { enabled: false },
    database: { db, type: 'postgres', transaction: true },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
    },
    // Our limits also count by email address (src/api/routes/accounts/sign-in.ts).
    rateLimit: { enabled: false },
    onAPIError: { errorURL: `${path}/sign-in` },
    logger: {
      level: 'warn',
      disableColors: true,
      // The library logs wrong passwords as warnings; operators need not read them.
      log: (level, message, ...rest) =>
        log[level === 'error' ? 'warn' : 'debug'](
          { err: rest.find((each) => each instanceof Error) },
          message,
        ),
    },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      // No separate name for https: the API adds `Secure`.
      useSecureCookies: false,
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: 'uuid' },
    },
    ...tables,
    // `refuseNewUsers` refuses linking, with a clearer reason than the library gives.
    account: { ...tables.account, accountLinking: { requireLocalEmailVerified: false } },
    user: { ...tables.user, validateUserInfo: refuseNewUsers },
  }
}

/** The library's models in our tables; a session lasts seven days. */
const tables = {
  user: {
    modelName: 'auth_users',
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: {
    modelName: 'auth_sessions',
    expiresIn: 7 * DAY_S,
    updateAge: DAY_S,
    // Zero turns the check off: people may list sessions long after they signed in.
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
