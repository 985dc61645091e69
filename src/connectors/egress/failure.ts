import { AppError } from '../../errors.ts'

/** The guard's refusal among the causes of an error, or null. */
export function appErrorIn(error: unknown): AppError | null {
  for (const cause of causes(error)) if (cause instanceof AppError) return cause
  return null
}

/** No certificate matches the fingerprint; the message is ours. */
export class UntrustedAuthority extends Error {}

/** The service operator's proxy failed; the message is ours. */
export class ProxyFailure extends Error {}

/** What a person has to look at; `unreachable` is everything that is neither certificate nor proxy. */
export type FailureKind =
  | 'other_name'
  | 'certificate_invalid'
  | 'unknown_authority'
  | 'fingerprint'
  | 'proxy'
  | 'unreachable'

/** The message is ours, never text of the remote side. */
export type ConnectionFailure = { kind: FailureKind; message: string }

export function describeFailure(error: unknown): ConnectionFailure {
  for (const cause of causes(error)) {
    if (cause instanceof UntrustedAuthority) return { kind: 'fingerprint', message: cause.message }
    if (cause instanceof ProxyFailure) return { kind: 'proxy', message: cause.message }
    const code = codeOf(cause)
    const message = code === null ? undefined : MESSAGES[code]
    if (code && message) return { kind: KINDS[code] ?? 'unreachable', message }
    if (code && isTls(code))
      return { kind: 'unreachable', message: `no secure connection could be made (${code})` }
  }
  const code = causes(error).map(codeOf).find(Boolean)
  return { kind: 'unreachable', message: code ? `the connection failed (${code})` : 'the connection failed' }
}

export const SLOW_RESPONSE = 'SLOW_RESPONSE'

const MESSAGES: Record<string, string> = {
  [SLOW_RESPONSE]: 'it sends its response too slowly',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the name could not be resolved; the name server does not respond',
  EAI_NODATA: 'the name has no address',
  ENODATA: 'the name has no address',
  ECONNREFUSED: 'nothing listens there (connection refused)',
  ECONNRESET: 'the other side closed the connection',
  EPIPE: 'the other side closed the connection',
  UND_ERR_SOCKET: 'the other side closed the connection',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  EADDRNOTAVAIL: 'there is no route to the host',
  ETIMEDOUT: 'it did not respond in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'it accepted the request but did not respond in time',
  UND_ERR_BODY_TIMEOUT: 'it stopped in the middle of its response',
  UND_ERR_HEADERS_OVERFLOW: 'its response headers are too long',
  ERR_TOO_MUCH_DATA: 'it sent more than was asked for',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is signed by an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an authority that is not trusted here',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use https; is it an http address?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not use https; is it an http address?',
}

const KINDS: Record<string, FailureKind> = {
  CERT_HAS_EXPIRED: 'certificate_invalid',
  CERT_NOT_YET_VALID: 'certificate_invalid',
  CERT_REVOKED: 'certificate_invalid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknown_authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown_authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown_authority',
}

function isTls(code: string): boolean {
  return /^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO$)/.test(code)
}

/** The error, its causes, and the errors of an AggregateError. */
function causes(error: unknown): unknown[] {
  const found: unknown[] = []
  const queue: unknown[] = [error]
  // Ten is deeper than any client wraps, and ends circular chains.
  while (queue.length > 0 && found.length < 10) {
    const next = queue.shift()
    if (!(next instanceof Error)) continue
    found.push(next)
    queue.push(next.cause)
    if (next instanceof AggregateError) queue.push(...next.errors)
  }
  return found
}

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code : null
}
