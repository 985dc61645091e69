import { setTimeout as sleep } from 'node:timers/promises'
import { createSharedLimiter, type SharedLimiter } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import { backoffMs, parseRetryAfter } from '../../retry.ts'
import { type BreakerOptions, createBreaker } from './breaker.ts'

/** Reaches only configured hosts; resolves once the whole body has arrived. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/** What the exchanges of all workspaces with one provider share. */
export type ExchangePlaces = {
  limit: SharedLimiter
  /** A Retry-After pauses all requests, because the others would be refused too. */
  pausedUntil: number
}

/** Two places are always left to other workspaces. */
export function createExchangePlaces(places = { total: 10, each: 8 }): ExchangePlaces {
  return { limit: createSharedLimiter(places), pausedUntil: 0 }
}

/** Requests of one workspace to one provider: limits concurrency, retries, and unifies errors. */
export interface Exchange {
  /** The response to `fetch`, not the client's exception, decides the error. */
  ask<T>(doing: string, call: (fetch: typeof globalThis.fetch) => Promise<T>, signal: AbortSignal): Promise<T>
}

export type ExchangeOptions = {
  fetch: Fetch
  workspace?: string
  places?: ExchangePlaces
  /** Until the whole response has arrived. */
  timeoutMs?: number
  /** When the provider counts as down, and for how long. */
  breaker?: BreakerOptions
}

/** The provider rejects the request itself: too large or unsupported. */
export class ModelRefusal extends AppError {
  readonly remoteStatus: number
  constructor(message: string, remoteStatus: number) {
    super('model_failed', message)
    this.remoteStatus = remoteStatus
  }
}

class RequestTimeout extends AppError {}

type ModelRequest = { url: string | URL | Request; init: RequestInit }

const MAX_ATTEMPTS = 5
/** 0.5, 1, 2 and 4 s, each up to half as long again. */
const BACKOFF = { firstMs: 500, jitter: [1, 1.5] } as const
/** At most this many attempts may time out, since each takes two minutes. */
const MAX_TIMEOUTS = 2
/** A longer Retry-After fails the request; the next run tries again. */
const MAX_WAIT_MS = 60_000

export function openExchange(options: ExchangeOptions): Exchange {
  const { fetch, workspace = '', places = createExchangePlaces(), timeoutMs = 120_000 } = options
  // Not shared: the failing model of one workspace must not stop the others.
  const breaker = createBreaker(options.breaker)

  async function withRetries(request: ModelRequest, signal: AbortSignal): Promise<Response | AppError> {
    let timeouts = 0
    for (let tries = 1; ; tries++) {
      const pause = places.pausedUntil - Date.now()
      if (pause > 0) await sleep(pause, undefined, { signal })
      signal.throwIfAborted()
      const response = await places.limit(
        workspace,
        () => attempt(request, { fetch, timeoutMs }, signal),
        signal,
      )
      if (response instanceof Response && response.ok) return response
      if (response instanceof RequestTimeout) timeouts++
      const wait = response instanceof Response ? retryDelayMs(response, tries) : backoffMs(BACKOFF, tries)
      const canRetry = response instanceof Response ? isTransient(response.status) : response.retryable
      if (!canRetry || tries === MAX_ATTEMPTS || timeouts === MAX_TIMEOUTS || wait > MAX_WAIT_MS)
        return response
      if (response instanceof Response && response.status === 429)
        places.pausedUntil = Math.max(places.pausedUntil, Date.now() + wait)
      await sleep(wait, undefined, { signal })
    }
  }

  async function withBreaker(
    doing: string,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<Response | AppError> {
    if (!breaker.allows()) {
      return new AppError('model_failed', `${doing}: the endpoint is down; requests resume within a minute`)
    }
    let response: Response | AppError
    try {
      response = await withRetries(request, signal)
    } catch (error) {
      breaker.release()
      throw error
    }
    breaker.record(response instanceof Response ? response.status < 500 : !response.retryable)
    return response instanceof Response && response.ok ? response : errorOf(doing, response)
  }

  return {
    async ask(doing, call, signal) {
      let failure: AppError | null = null
      const trackedFetch = async (url: string | URL | Request, init: RequestInit = {}) => {
        const response = await withBreaker(doing, { url, init }, signal)
        if (response instanceof Response) return response
        failure = response
        throw response
      }
      try {
        return await call(trackedFetch as typeof globalThis.fetch)
      } catch (error) {
        signal.throwIfAborted()
        if (failure) throw failure
        if (error instanceof AppError) throw error
        // The client's message may quote the response, so it is left out.
        throw new AppError('model_failed', `${doing}: the response has an unexpected format`)
      }
    },
  }
}

/** The response, or why there is none. */
async function attempt(
  { url, init }: ModelRequest,
  { fetch, timeoutMs }: { fetch: Fetch; timeoutMs: number },
  signal: AbortSignal,
): Promise<Response | AppError> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    // Replaces the client's own signal: its timeout would end our retries.
    return await fetch(url, { ...init, signal: AbortSignal.any([signal, timeout]) })
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return new RequestTimeout('model_failed', `no response within ${timeoutMs / 1000} s`)
    if (error instanceof AppError) return withoutAddress(error, url)
    return new AppError('model_failed', 'the connection failed', { cause: error })
  }
}

/** Viewers of a workspace see the message in a warning, so it must not reveal the service operator's hosts. */
function withoutAddress(error: AppError, url: string | URL | Request): AppError {
  const { host, hostname } = new URL(url instanceof Request ? url.url : url)
  const message = error.message.replaceAll(host, 'the endpoint').replaceAll(hostname, 'the endpoint')
  return new AppError(error.code, message, { cause: error })
}

function errorOf(doing: string, response: Response | AppError): AppError {
  if (response instanceof AppError) {
    const code = response.code === 'egress_refused' ? 'egress_refused' : 'model_failed'
    return new AppError(code, `${doing}: ${response.message}`, { cause: response })
  }
  const { status } = response
  if (status === 401 || status === 403) {
    return new AppError(
      'model_unauthorized',
      `${doing}: the endpoint rejected the configured key (${status})`,
      {
        fix: 'The service operator sets the key in the environment',
      },
    )
  }
  // Not a refusal: the service operator may still install the model.
  if (status === 404) return new AppError('model_failed', `${doing}: no such model or path (404)`)
  if (status === 429) return new AppError('model_failed', `${doing}: rate limit exceeded (429)`)
  if (status >= 500) return new AppError('model_failed', `${doing}: the endpoint failed (${status})`)
  return new ModelRefusal(`${doing}: the endpoint rejected the request (${status})`, status)
}

function isTransient(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500
}

/** Retry-After in milliseconds, seconds or as a date; else a backoff. */
function retryDelayMs({ headers }: Response, tries: number): number {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (ms >= 0) return ms
  return parseRetryAfter(headers.get('retry-after')) ?? backoffMs(BACKOFF, tries)
}
