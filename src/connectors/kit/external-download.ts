import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, createSharedLimiter, type Limiter, type SharedLimiter } from '../../concurrency.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import type { Egress, EgressResponse } from '../egress/egress.ts'
import type { Download, Downloaded } from './download.ts'

const TIMEOUT_MS = 20_000
const RETRY_AFTER_MS = 250
/** Many images from one host must not look like an attack. */
const CONCURRENCY_PER_HOST = 2
/** For all hosts of one source together, because a page may name a thousand. */
const CONCURRENCY = 8

/** Downloads from an address outside the source's system. Retries once after a broken connection or a 5xx. */
export async function downloadExternal(
  { egress, source }: { egress: Pick<Egress, 'untrusted'>; source: object },
  what: Download,
  signal: AbortSignal,
): Promise<Downloaded> {
  const { doing, url, ...options } = what
  const all = limitOf(source)
  const host = hostLimitsOf(egress.untrusted)
  const request = { ...options, accept: 'image/*, */*;q=0.8', timeoutMs: TIMEOUT_MS }
  const send = () => egress.untrusted.request(url, request, signal).then((each) => toDownload(doing, each))
  const sendWithRetry = () =>
    send().catch(async (error) => {
      if (!isTemporary(error)) throw error
      await sleep(RETRY_AFTER_MS, undefined, { signal })
      return send()
    })
  try {
    return await host(url.host, () => all(sendWithRetry, signal), signal)
  } catch (error) {
    signal.throwIfAborted()
    throw toDownloadError(doing, error)
  }
}

async function toDownload(doing: string, response: EgressResponse): Promise<Downloaded> {
  const { status, headers, url, complete } = response
  if (status < 200 || status >= 300) {
    throw new AppError(codeFor(status), `${doing}: ${url.host} answered ${status}`, { cause: { status } })
  }
  const from = new URL(`${url.origin}${url.pathname}`)
  return { bytes: await response.bytes(), complete, contentType: headers.get('content-type'), url: from }
}

function codeFor(status: number): ErrorCode {
  if (status === 404 || status === 410) return 'source_not_found'
  return status === 401 || status === 403 ? 'source_forbidden' : 'source_failed'
}

/** A broken connection or a 5xx, but no timeout and no refusal. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const { status, code } = (error.cause ?? {}) as { status?: number; code?: unknown }
  if (error.code === 'source_failed') return status !== undefined && status >= 500
  // A timeout has a numeric code.
  return error.code === 'source_unreachable' && typeof code === 'string' && code !== 'ENOTFOUND'
}

/** Turns errors of refused and unreachable hosts into errors that do not end the job. */
function toDownloadError(doing: string, error: unknown): AppError {
  if (!(error instanceof AppError)) {
    return new AppError('source_failed', `${doing}: the connection failed`, { cause: error })
  }
  const message = error.message.startsWith(doing) ? error.message : `${doing}: ${error.message}`
  const isUnknownHost = (error.cause as { code?: string } | undefined)?.code === 'ENOTFOUND'
  const codes: Partial<Record<ErrorCode, ErrorCode>> = {
    egress_refused: 'source_forbidden',
    source_unreachable: isUnknownHost ? 'source_not_found' : 'source_failed',
  }
  return new AppError(codes[error.code] ?? error.code, message, { cause: error })
}

const limits = new WeakMap<object, Limiter>()

function limitOf(source: object): Limiter {
  const limit = limits.get(source) ?? createLimiter(CONCURRENCY)
  limits.set(source, limit)
  return limit
}

const hostLimits = new WeakMap<object, SharedLimiter>()

function hostLimitsOf(egress: object): SharedLimiter {
  const limit = hostLimits.get(egress) ?? createSharedLimiter({ total: Infinity, each: CONCURRENCY_PER_HOST })
  hostLimits.set(egress, limit)
  return limit
}
