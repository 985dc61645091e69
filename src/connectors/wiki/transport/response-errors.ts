import { AppError, type ErrorCode } from '../../../errors.ts'
import type { EgressResponse } from '../../egress/egress.ts'
import { describeScope, type Scope, scopeOfRequest } from '../scopes.ts'
import type { Pause, PauseReason } from './pacing.ts'
import { readRate } from './rate-headers.ts'
import type { Site } from './site.ts'

/** The error of a failed try, and the maximum number of tries. */
export type FailedResponse = {
  error: AppError
  tries: number
  /** Set if all requests to the wiki have to wait. */
  reason?: PauseReason
  retryAfterMs?: number | null
}

/** The cause of an error from a response; `scope` is what a scoped token may lack, `signedOut` what the response says. */
export type ResponseInfo = { status: number; scope?: Scope; signedOut?: true }

/** Null for a successful response. */
export async function errorOfResponse(
  doing: string,
  response: EgressResponse,
  site: Site,
): Promise<FailedResponse | null> {
  const { status, headers } = response
  if (status >= 200 && status < 300) return null
  const { limited, retryAfterMs } = readRate(status, headers, Date.now())
  const scope = [401, 403, 404].includes(status) ? scopeOfRequest(response.url, site) : null
  const failure = (code: ErrorCode, why: string, tries: number, fix?: string): FailedResponse => {
    const cause = { status, ...(scope && { scope }) } satisfies ResponseInfo
    return {
      error: new AppError(code, `${doing}: ${site.name} ${why}`, { cause, ...(fix && { fix }) }),
      tries,
    }
  }

  if (limited) {
    const rateLimited = failure('source_unreachable', `limits the request rate (${status})`, Infinity)
    return { ...rateLimited, reason: limited, retryAfterMs }
  }
  // The gateway also responds with 401 if a valid token lacks a scope.
  if (status === 401 && /scope does not match/i.test(await response.text()))
    return failure(
      'source_forbidden',
      'rejected the token because it lacks a scope (401)',
      1,
      missingScopeFix(scope),
    )
  if (status === 401) return failure('source_unauthorized', 'rejected the credentials (401)', 1, SIGN_IN_FIX)
  if (status === 403)
    return failure('source_forbidden', 'denied access (403)', 1, withScopeFix(PERMISSION, scope))
  if (status === 404)
    return failure(
      'source_not_found',
      'found nothing, or nothing the account may see (404)',
      1,
      withScopeFix('', scope),
    )
  if (status === 502 || status === 503) {
    const unavailable = failure('source_unreachable', `is not available (${status})`, Infinity)
    return { ...unavailable, reason: 'down', retryAfterMs }
  }
  // 500 and 504 are permanent for a page that cannot be rendered; only the page fails.
  if (status === 504) return { ...failure('source_failed', 'did not finish in time (504)', 4), retryAfterMs }
  if (status >= 500) return { ...failure('source_failed', `failed (${status})`, 3), retryAfterMs }
  return failure('source_failed', `answered ${status}`, 1)
}

export function misread(doing: string, why: string, site: Site): FailedResponse {
  const cause = { status: 200 } satisfies ResponseInfo
  return { error: new AppError('source_misread', `${doing}: ${site.name} ${why}`, { cause }), tries: 4 }
}

export function signInPage(doing: string, site: Site): FailedResponse {
  const why = 'answered with a web page instead of data; it may be a sign-in page'
  const cause = { status: 200 } satisfies ResponseInfo
  const error = new AppError('source_unauthorized', `${doing}: ${site.name} ${why}`, {
    cause,
    fix: SIGN_IN_FIX,
  })
  return { error, tries: 1 }
}

/** For a request without a response. */
export function errorWithoutResponse(doing: string, error: unknown, isLate: boolean): FailedResponse {
  if (!(error instanceof AppError)) {
    const wrapped = new AppError('source_unreachable', `${doing}: the connection failed`, { cause: error })
    return { error: wrapped, tries: Infinity }
  }
  const timedOut = isLate || SLOW.test(codeOf(error))
  const code = timedOut ? 'source_failed' : error.code
  const wrapped = new AppError(code, `${doing}: ${error.message}`, { cause: error, fix: error.fix })
  if (timedOut) return { error: wrapped, tries: 2 }
  const isPermanent =
    ['source_answer_too_long', 'egress_refused'].includes(error.code) || TLS.test(codeOf(error))
  return { error: wrapped, tries: isPermanent ? 1 : Infinity }
}

/** For a pause that is longer than the caller waits. */
export function errorOfPause(
  { doing, site }: { doing: string; site: Site },
  { reason, leftMs }: Pause,
): AppError {
  const until = new Date(Math.ceil((Date.now() + Math.min(leftMs, YEAR_MS)) / 1000) * 1000)
  const message = `${doing}: ${site.name} asks for a pause until ${until.toISOString().replace('.000', '')}`
  return new AppError('source_unreachable', `${message}: ${REASONS[reason]}`, {
    fix: 'Run it again after that time',
  })
}

const REASONS: Record<PauseReason, string> = {
  burst: 'it received too many requests',
  quota: 'the hourly quota of requests is used up',
  down: 'it is not available',
}
/** Keeps the date valid. */
const YEAR_MS = 365 * 86_400_000

const SLOW = /^(UND_ERR_(HEADERS|BODY)_TIMEOUT|SLOW_RESPONSE)$/
const TLS = /CERT|_TLS_|_SSL_|SELF_SIGNED|UNABLE_TO/

function codeOf(error: AppError): string {
  return String((error.cause as { code?: unknown } | undefined)?.code ?? '')
}

export const SIGN_IN_FIX =
  'Check username and token, that the token has not expired, and that url is the address of the wiki'
const PERMISSION = 'Give the account permission to see it'
export const CAPTCHA_FIX =
  'Sign in once in a browser as the account and solve the captcha, or use a personal access token'
const ALL_SCOPES = 'docs/connectors/wiki.md lists all scopes'

function missingScopeFix(scope: Scope | null): string {
  return scope
    ? `The token needs ${describeScope(scope)}; ${ALL_SCOPES}`
    : `Create a token with more scopes; ${ALL_SCOPES}`
}

/** A missing scope may look like a missing permission or a 404. */
function withScopeFix(fix: string, scope: Scope | null): string {
  if (!scope) return fix
  return `${fix ? `${fix}, or check` : 'Check'} that the token has ${describeScope(scope)}`
}
