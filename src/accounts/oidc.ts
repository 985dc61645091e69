import { type OAuthProvider, verifyProviderIdToken } from 'better-auth/oauth2'
import type { BetterAuthPlugin } from 'better-auth/types'
import type { Database } from '../store/database.ts'
import {
  type Claims,
  claims,
  type IssuerFetch,
  type OidcSettings,
  openIssuer,
  tokenResponse,
} from './issuer.ts'
import { type AdmissionError, admitPerson, REFUSAL_KEY } from './oidc-admission.ts'

export const OIDC = 'oidc'

/**
 * OpenID Connect by the code flow. issuer.ts sends the requests: the library would bypass the egress guard
 * and never retry discovery.
 */
export function oidcPlugin(provider: OAuthProvider<Profile>): BetterAuthPlugin {
  return { id: 'millrace-oidc', init: () => ({ context: { socialProviders: [provider as OAuthProvider] } }) }
}

type Profile = Claims & { [REFUSAL_KEY]?: AdmissionError }

/** One per process, for all URLs of the service. */
export function oidcProvider(
  db: Database,
  settings: OidcSettings,
  fetchIssuer: IssuerFetch,
): OAuthProvider<Profile> {
  const issuer = openIssuer(settings, fetchIssuer)

  async function claimsOf(idToken: string, nonce: string | undefined): Promise<Claims | null> {
    const { issuer: name } = await issuer.metadata()
    const verification = {
      jwks: issuer.key,
      issuer: name,
      audience: settings.clientId,
      algorithms: ALGORITHMS,
    }
    const provider = { idToken: verification } as Pick<OAuthProvider, 'idToken'> as OAuthProvider
    if (!nonce || !(await verifyProviderIdToken(provider, idToken, nonce))) return null
    const payload = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString())
    return claims.parse(payload)
  }

  return {
    id: OIDC,
    name: 'OpenID Connect',
    requiresIdTokenNonce: true,
    accountSubject: ({ profile }) => profile.sub,
    async createAuthorizationURL({ state, codeVerifier, redirectURI, idTokenNonce }) {
      const url = new URL((await issuer.metadata()).authorization_endpoint)
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
      const parameters = {
        response_type: 'code',
        client_id: settings.clientId,
        redirect_uri: redirectURI,
        scope: 'openid email profile',
        state,
        nonce: idTokenNonce ?? '',
        code_challenge: Buffer.from(digest).toString('base64url'),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url
    },
    async validateAuthorizationCode({ code, redirectURI, codeVerifier }) {
      const tokens = await issuer.exchange({ code, redirectURI, codeVerifier: codeVerifier ?? '' })
      // Under `raw` the library does not store the tokens.
      return { raw: tokens }
    },
    async getUserInfo({ raw, expectedIdTokenNonce }) {
      const tokens = tokenResponse.parse(raw)
      const verified = await claimsOf(tokens.id_token, expectedIdTokenNonce)
      if (!verified) return null
      const data = verified.email ? verified : await issuer.userInfo(verified, tokens.access_token)
      const name = data.name ?? data.email?.split('@')[0] ?? ''
      const user = { email: data.email ?? null, name, emailVerified: isVerified(data) }
      const providerClaims = {
        subject: verified.sub,
        email: user.email,
        isVerified: user.emailVerified,
        name,
      }
      const refusal = await admitPerson(db, OIDC, providerClaims)
      return { user, data: refusal ? { ...data, [REFUSAL_KEY]: refusal } : data }
    },
  }
}

// Public-key signatures only: symmetric ones would accept a public key as secret.
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Some issuers send a string. A missing claim proves nothing. */
function isVerified(data: Claims): boolean {
  return data.email_verified === true || data.email_verified === 'true'
}
