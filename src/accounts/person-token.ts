import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { AppError } from '../errors.ts'
import { matchAccounts } from '../store/accounts/identities.ts'
import { type IdentitySettings, readIdentitySettings } from '../store/accounts/identity-settings.ts'
import { recordUnmatched } from '../store/accounts/unmatched.ts'
import type { Database } from '../store/database.ts'
import { type AccountsBySource, emailIdentity } from './identities.ts'
import type { IssuerFetch } from './issuer.ts'
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts'

/** A person whom a token of the identity provider proves. */
type VerifiedPerson = {
  /** For the audit log. */
  name: string
  accountsIn(sourceIds: string[]): Promise<AccountsBySource>
}

/** What a valid token says; `value` is the claim that names the person. */
export type VerifiedToken = {
  settings: IdentitySettings
  issuer: string
  audience: string[]
  subject: string | null
  value: string
  expiresAt: Date
}

export interface PersonTokens {
  /** Throws if the token is not valid here, or if the identity provider cannot be asked. */
  verify(workspaceId: string, token: string): Promise<VerifiedPerson>
  /** The same check, with what the token says. */
  read(workspaceId: string, token: string): Promise<VerifiedToken>
}

// Public-key signatures only: symmetric ones would accept a public key as secret.
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** ID and access tokens; a logout token proves no person. */
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt']
const CLOCK_SKEW_S = 60
/** All headers of a request fit into 16 KB. */
const MAX_TOKEN_LENGTH = 12_000
const MAX_VALUE_LENGTH = 255
/** The same value is recorded again after this time. */
const UNMATCHED_EVERY_MS = 60_000

export function createPersonTokens(
  db: Database,
  { fetchIssuer, maxHours }: { fetchIssuer: IssuerFetch; maxHours: number },
): PersonTokens {
  const issuerKeys = createIssuerKeys(fetchIssuer)
  const recorded = new LRUCache<string, true>({ max: 10_000, ttl: UNMATCHED_EVERY_MS })

  async function read(workspaceId: string, token: string): Promise<VerifiedToken> {
    const settings = await readIdentitySettings(db, workspaceId)
    if (!settings)
      throw new AppError('identity_not_configured', 'this workspace accepts no person tokens', {
        fix: 'An administrator sets the identity provider under Settings, Identity',
      })
    const payload = await verifySignature(token, settings, issuerKeys)
    refuseLongLived(payload, maxHours)
    return {
      settings,
      issuer: payload.iss ?? '',
      // Providers may send other types than text.
      audience: [payload.aud ?? []].flat().map(String),
      subject: payload.sub === undefined ? null : String(payload.sub),
      value: personValue(payload, settings),
      expiresAt: new Date((payload.exp ?? 0) * 1000),
    }
  }

  async function remember(workspaceId: string, { kind, value }: ClaimIdentity, sourceIds: string[]) {
    const unseen = sourceIds.filter((id) => !recorded.has(JSON.stringify([id, kind, value])))
    if (unseen.length === 0) return
    for (const id of unseen) recorded.set(JSON.stringify([id, kind, value]), true)
    await recordUnmatched(db, { workspaceId, kind, value }, unseen)
  }

  return {
    read,
    async verify(workspaceId, token) {
      const verified = await read(workspaceId, token)
      const identity = claimIdentity(verified)
      return {
        name: verified.value,
        async accountsIn(sourceIds) {
          if (!identity) return new Map(sourceIds.map((id) => [id, verified.value]))
          const found = await matchAccounts(db, { workspaceId, ...identity }, sourceIds)
          await remember(
            workspaceId,
            identity,
            sourceIds.filter((id) => found.get(id) === null),
          )
          return found
        },
      }
    },
  }
}

type ClaimIdentity = { kind: 'email' | 'claim'; value: string }

/** The row of the identity table that names the person; null if the claim is the account itself. */
export function claimIdentity({
  settings,
  value,
}: Pick<VerifiedToken, 'settings' | 'value'>): ClaimIdentity | null {
  if (settings.mapping === 'account_id') return null
  return settings.mapping === 'email' ? emailIdentity(value) : { kind: 'claim', value }
}

async function verifySignature(
  token: string,
  settings: IdentitySettings,
  issuerKeys: IssuerKeys,
): Promise<JWTPayload> {
  if (token.length > MAX_TOKEN_LENGTH) throw refused(`it is longer than ${MAX_TOKEN_LENGTH} characters`)
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) throw refused('it is not a signed JWT')
  // Only a token that is otherwise plausible causes a request to the issuer.
  const { issuer, key } = await issuerKeys(settings)
  const getKey: JWTVerifyGetKey = (header, jws) => {
    if (!TYPES.includes(header.typ?.toLowerCase())) throw refused('it is neither an ID nor an access token')
    return key(header, jws)
  }
  const checks = {
    issuer,
    audience: settings.audience,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_SKEW_S,
    requiredClaims: ['exp'],
  }
  try {
    return (await jwtVerify(token, getKey, checks)).payload
  } catch (error) {
    throw error instanceof AppError ? error : refused(reasonOf(error))
  }
}

/** A stolen token works until it expires. Without a time of issue, only the time that is left counts. */
function refuseLongLived({ iat, exp = 0 }: JWTPayload, maxHours: number): void {
  const now = Date.now() / 1000
  const issued = typeof iat === 'number' ? Math.min(iat, now) : now
  if (exp - issued > maxHours * 3600 + CLOCK_SKEW_S)
    throw new AppError(
      'person_token_invalid',
      `the person token is refused: it is valid for more than ${maxHours} hours`,
      {
        fix: 'Let the identity provider issue tokens with a shorter lifetime; the service operator can raise MILLRACE_PERSON_TOKEN_HOURS',
      },
    )
}

/** Plain words; the library's messages may quote the token. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return claimReason(error)
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'its algorithm is not allowed; only public-key signatures are'
  if (error instanceof errors.JWKSNoMatchingKey) return 'the identity provider has no key that fits it'
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'it names no key, and the identity provider has several'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is wrong'
  return 'it cannot be read'
}

const CLAIM_REASONS: Record<string, string> = {
  iss: 'another issuer issued it',
  aud: 'it is meant for another audience',
  nbf: 'it is not valid yet',
  exp: 'it has no valid time of expiry',
}

function claimReason({ claim }: errors.JWTClaimValidationFailed): string {
  return CLAIM_REASONS[claim] ?? 'one of its claims is not valid'
}

function personValue(payload: JWTPayload, settings: IdentitySettings): string {
  const { claim, mapping } = settings
  const value = Object.hasOwn(payload, claim) ? payload[claim] : undefined
  if (value === undefined) throw refused(`it has no claim ${claim}`)
  if (typeof value !== 'string') throw refused(`its claim ${claim} is not text`)
  if (value.trim() === '' || value.length > MAX_VALUE_LENGTH || /\p{Cc}|\p{Cs}/u.test(value))
    throw refused(`its claim ${claim} is empty, too long or has control characters`)
  if (mapping === 'email') requireVerified(payload, settings)
  else if (claim === 'email' && !MAY_BE_VERIFIED.includes(payload.email_verified)) throw notVerified()
  return value
}

/** A table or the source names the address itself, so silence is accepted. */
const MAY_BE_VERIFIED: unknown[] = [true, 'true', undefined]

/** An address that the provider did not verify may belong to another person. */
function requireVerified(payload: JWTPayload, { claim, trust_email: trusts }: IdentitySettings): void {
  const verified = payload.email_verified
  if (verified === true || verified === 'true') {
    if (claim === 'email' || trusts) return
  } else if (verified === undefined && trusts) return
  throw notVerified()
}

function notVerified(): AppError {
  return refused('the identity provider has not verified its e-mail address')
}

function refused(reason: string): AppError {
  return new AppError('person_token_invalid', `the person token is refused: ${reason}`, {
    fix: 'Send another token of the identity provider, or ask an administrator to check the identity settings',
  })
}
