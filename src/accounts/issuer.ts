import { z } from 'zod'
import { AppError } from '../errors.ts'

export type OidcSettings = { issuer: string; clientId: string; clientSecret: string | null }

/** Sends every request to the issuer through the egress guard. */
export type IssuerFetch = (
  url: URL,
  request: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
) => Promise<{ status: number; text(): Promise<string> }>

const METADATA_TTL_MS = 3600_000
// An unknown key id reads the keys again, at most this often.
const KEYS_REFRESH_MS = 30_000

type IssuerRequest = { url: string } & Partial<Parameters<IssuerFetch>[1]>
type Discovery = z.infer<typeof discovery>
export type Claims = z.infer<typeof claims>
type Jwk = z.infer<typeof jwk>

const address = z.url({ protocol: /^https?$/ })
const discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  userinfo_endpoint: address.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
})
export const claims = z.object({
  sub: z.string().min(1),
  email: z.email().optional(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  name: z.string().optional(),
})
const jwk = z.looseObject({ kty: z.string(), kid: z.string().optional(), use: z.string().optional() })
export const tokenResponse = z.object({ id_token: z.string(), access_token: z.string().optional() })

/** The issuer's metadata and keys, read on first use. */
export function openIssuer(settings: OidcSettings, fetchIssuer: IssuerFetch) {
  let cached: { discovery: Promise<Discovery>; until: number } | undefined
  let keys: { keys: Jwk[]; at: number } | undefined

  async function read<T>(what: string, { url, ...request }: IssuerRequest, shape: z.ZodType<T>): Promise<T> {
    const headers = { accept: 'application/json', ...request.headers }
    const response = await fetchIssuer(new URL(url), { method: 'GET', ...request, headers })
    if (response.status !== 200) throw unusable(`${what}: it responds with ${response.status}`)
    const parsed = shape.safeParse(parseJson(await response.text()))
    if (!parsed.success) throw unusable(`${what}: the response does not follow OpenID Connect`)
    return parsed.data
  }

  /** Concurrent callers share one lookup; a failure is not cached. */
  function metadata(): Promise<Discovery> {
    if (cached && cached.until > Date.now()) return cached.discovery
    const lookup = readMetadata()
    cached = { discovery: lookup, until: Date.now() + METADATA_TTL_MS }
    lookup.catch(() => {
      if (cached?.discovery === lookup) cached = undefined
    })
    return lookup
  }

  async function readMetadata(): Promise<Discovery> {
    const base = settings.issuer.replace(/\/$/, '')
    const metadata = await read(
      'reading its metadata',
      { url: `${base}/.well-known/openid-configuration` },
      discovery,
    )
    if (metadata.issuer.replace(/\/$/, '') !== base)
      throw unusable('reading its metadata: it names another issuer')
    return metadata
  }

  return {
    metadata,
    /** The key that a token names, or the only one. */
    async key(header: { kid?: string | undefined }): Promise<Jwk> {
      const findKey = () => {
        const usable = keys?.keys.filter(({ use }) => use === undefined || use === 'sig') ?? []
        return header.kid
          ? usable.find(({ kid }) => kid === header.kid)
          : usable.length === 1
            ? usable[0]
            : undefined
      }
      if (!findKey() && (!keys || keys.at < Date.now() - KEYS_REFRESH_MS)) {
        const { jwks_uri } = await metadata()
        keys = {
          ...(await read('reading its keys', { url: jwks_uri }, z.object({ keys: z.array(jwk) }))),
          at: Date.now(),
        }
      }
      const key = findKey()
      if (!key) throw unusable('reading its keys: no key matches the token')
      return key
    },
    async exchange(code: AuthorizationCode) {
      const { token_endpoint: url, token_endpoint_auth_methods_supported: methods } = await metadata()
      return read(
        'exchanging the code',
        { url, ...exchangeRequest(settings, { code, methods }) },
        tokenResponse,
      )
    },
    /** For issuers that omit the email address from the token; the subject must match. */
    async userInfo(verified: Claims, accessToken: string | undefined): Promise<Claims> {
      const { userinfo_endpoint } = await metadata()
      if (!userinfo_endpoint || !accessToken) return verified
      const headers = { authorization: `Bearer ${accessToken}` }
      const info = await read('reading the user info', { url: userinfo_endpoint, headers }, claims)
      return info.sub === verified.sub ? info : verified
    },
  }
}

type AuthorizationCode = { code: string; redirectURI: string; codeVerifier: string }

function exchangeRequest(
  { clientId, clientSecret }: OidcSettings,
  { code, methods }: { code: AuthorizationCode; methods: string[] | undefined },
): Omit<IssuerRequest, 'url'> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: code.code,
    redirect_uri: code.redirectURI,
    code_verifier: code.codeVerifier,
  })
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  // Basic is the default; clients without a secret use the form.
  if (clientSecret && (!methods || methods.includes('client_secret_basic'))) {
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(':')
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  } else {
    form.set('client_id', clientId)
    if (clientSecret) form.set('client_secret', clientSecret)
  }
  return { method: 'POST', headers, body: form.toString() }
}

function unusable(what: string): AppError {
  return new AppError('source_failed', `the identity provider cannot be used: ${what}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
