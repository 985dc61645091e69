import { AppError, type ErrorCode } from '../../errors.ts'
import type { EgressResponse } from '../egress/egress.ts'
import type { Pause, PauseReason } from './pauses.ts'
import { readRate } from './rate-headers.ts'

/** The error of a failed try, and the maximum number of tries. */
export type FailedResponse = {
  error: AppError
  tries: number
  /** Set if all requests to the site have to wait. */
  reason?: PauseReason
  retryAfterMs?: number | null
}

type Failing = {
  doing: string
  site: { name: string }
  /** What the cause of the error holds besides the status. */
  cause?: object
  /** What to do, by status. */
  fixes?: Partial<Record<number, string>>
}

/** Null for a successful response. */
export function errorOfStatus(
  { doing, site, cause, fixes = {} }: Failing,
  { status, headers }: Pick<EgressResponse, 'status' | 'headers'>,
): FailedResponse | null {
  if (status >= 200 && status < 300) return null
  const { limited, retryAfterMs } = readRate(status, headers, Date.now())
  const failure = (code: ErrorCode, why: string, tries: number): FailedResponse => {
    const fix = limited ? undefined : fixes[status]
    const details = { cause: { status, ...cause }, ...(fix && { fix }) }
    return { error: new AppError(code, `${doing}: ${site.name} ${why}`, details), tries }
  }

  if (limited) {
    const rateLimited = failure('source_unreachable', `limits the request rate (${status})`, Infinity)
    return { ...rateLimited, reason: limited, retryAfterMs }
  }
  if (status === 401) return failure('source_unauthorized', 'rejected the credentials (401)', 1)
  if (status === 403) return failure('source_forbidden', 'denied access (403)', 1)
  if (status === 404)
    return failure('source_not_found', 'found nothing, or nothing the account may see (404)', 1)
  if (status === 502 || status === 503) {
    const unavailable = failure('source_unreachable', `is not available (${status})`, Infinity)
    return { ...unavailable, reason: 'down', retryAfterMs }
  }
  // 500 and 504 are permanent for a document that cannot be rendered; only the document fails.
  if (status === 504) return { ...failure('source_failed', 'did not finish in time (504)', 4), retryAfterMs }
  if (status >= 500) return { ...failure('source_failed', `failed (${status})`, 3), retryAfterMs }
  return failure('source_failed', `answered ${status}`, 1)
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

const SLOW = /^(UND_ERR_(HEADERS|BODY)_TIMEOUT|SLOW_RESPONSE)$/
const TLS = /CERT|_TLS_|_SSL_|SELF_SIGNED|UNABLE_TO/

function codeOf(error: AppError): string {
  return String((error.cause as { code?: unknown } | undefined)?.code ?? '')
}

/** For a pause that is longer than the caller waits. */
export function errorOfPause({ doing, site }: Failing, { reason, leftMs }: Pause): AppError {
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
