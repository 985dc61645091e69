import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import { backoffMs, parseRetryAfter } from '../../retry.ts'
import { type BreakerOptions, openBreaker } from './breaker.ts'

/** The way to the configured hosts; the whole answer has arrived when it answers. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Asks one provider: so many things at once, again where it asks for patience, and with one kind of error. */
export interface Exchange {
  /** `call` makes one request with the `fetch` it is given; what its client throws is told by what was answered. */
  ask<T>(doing: string, call: (fetch: typeof globalThis.fetch) => Promise<T>, signal: AbortSignal): Promise<T>
}

export type ExchangeOptions = {
  fetch: Fetch
  /** How many requests are under way at once. */
  atOnce?: number
  /** Until the whole answer is there. */
  timeoutMs?: number
  /** When it is taken to be down, and for how long. */
  breaker?: BreakerOptions
}

/** The provider understood and says no to what was asked: too much of it, too long, or not what it takes. */
export class ModelRefusal extends AppError {
  readonly remoteStatus: number
  constructor(message: string, remoteStatus: number) {
    super('model_failed', message)
    this.remoteStatus = remoteStatus
  }
}

class NoAnswer extends AppError {}

const ATTEMPTS = 5
/** 0.5, 1, 2 and 4 s, each up to half as long again. */
const BACKOFF = { firstMs: 500, spread: [1, 1.5] } as const
/** Of those that nobody answered in time: each is two minutes of a document's life. */
const TIMEOUTS = 2
/** A document waits no longer than this for a provider's Retry-After; the next run asks again. */
const LONGEST_WAIT_MS = 60_000

export function openExchange(options: ExchangeOptions): Exchange {
  const { fetch, atOnce = 8, timeoutMs = 120_000 } = options
  const breaker = openBreaker(options.breaker)
  const limit = createLimiter(atOnce)
  /** Who is asked to wait makes all others wait as well: they would hear the same. */
  let pausedUntil = 0

  async function attempt(url: string | URL | Request, init: RequestInit, signal: AbortSignal) {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      // What a client waits for by itself is left out: its clock would end in the middle of our patience.
      return await fetch(url, { ...init, signal: AbortSignal.any([signal, limit]) })
    } catch (error) {
      signal.throwIfAborted()
      if (limit.aborted) return new NoAnswer('model_failed', `no answer within ${timeoutMs / 1000} s`)
      if (error instanceof AppError) return withoutAddress(error, url)
      return new AppError('model_failed', 'the connection failed', { cause: error })
    }
  }

  async function patiently(
    request: { url: string | URL | Request; init: RequestInit },
    signal: AbortSignal,
  ): Promise<Response | AppError> {
    let timeouts = 0
    for (let tries = 1; ; tries++) {
      const pause = pausedUntil - Date.now()
      if (pause > 0) await sleep(pause, undefined, { signal })
      signal.throwIfAborted()
      const answer = await limit(() => attempt(request.url, request.init, signal), signal)
      if (answer instanceof Response && answer.ok) return answer
      if (answer instanceof NoAnswer) timeouts++
      const wait = answer instanceof Response ? waitOf(answer, tries) : backoffMs(BACKOFF, tries)
      const helps = answer instanceof Response ? isPassing(answer.status) : answer.retryable
      if (!helps || tries === ATTEMPTS || timeouts === TIMEOUTS || wait > LONGEST_WAIT_MS) return answer
      if (answer instanceof Response && answer.status === 429)
        pausedUntil = Math.max(pausedUntil, Date.now() + wait)
      await sleep(wait, undefined, { signal })
    }
  }

  async function unlessDown(
    doing: string,
    request: { url: string | URL | Request; init: RequestInit },
    signal: AbortSignal,
  ): Promise<Response | AppError> {
    if (!breaker.lets()) {
      return new AppError(
        'model_failed',
        `${doing}: it was down a moment ago, and is asked again in a minute`,
      )
    }
    let answer: Response | AppError
    try {
      answer = await patiently(request, signal)
    } catch (error) {
      breaker.unheard()
      throw error
    }
    breaker.heard(answer instanceof Response ? answer.status < 500 : !answer.retryable)
    return answer instanceof Response && answer.ok ? answer : refusal(doing, answer)
  }

  return {
    async ask(doing, call, signal) {
      let trouble: AppError | null = null
      const watched = async (url: string | URL | Request, init: RequestInit = {}) => {
        const answer = await unlessDown(doing, { url, init }, signal)
        if (answer instanceof Response) return answer
        trouble = answer
        throw answer
      }
      try {
        return await call(watched as typeof globalThis.fetch)
      } catch (error) {
        signal.throwIfAborted()
        if (trouble) throw trouble
        if (error instanceof AppError) throw error
        // A client's own words may quote the answer, so that they stay out.
        throw new AppError('model_failed', `${doing}: its answer is not what such an endpoint answers`)
      }
    },
  }
}

/** Viewers of a workspace read it in a warning, and the operator's own hosts are none of their business. */
function withoutAddress(error: AppError, url: string | URL | Request): AppError {
  const { host, hostname } = new URL(url instanceof Request ? url.url : url)
  const message = error.message.replaceAll(host, 'the endpoint').replaceAll(hostname, 'the endpoint')
  return new AppError(error.code, message, { cause: error })
}

function refusal(doing: string, answer: Response | AppError): AppError {
  if (answer instanceof AppError) {
    const code = answer.code === 'egress_refused' ? 'egress_refused' : 'model_failed'
    return new AppError(code, `${doing}: ${answer.message}`, { cause: answer })
  }
  const { status } = answer
  if (status === 401 || status === 403) {
    return new AppError('model_unauthorized', `${doing}: it does not accept the configured key (${status})`, {
      fix: 'The operator sets it in the environment',
    })
  }
  // No refusal: whoever runs the endpoint may bring the model.
  if (status === 404)
    return new AppError('model_failed', `${doing}: there is no such model or path there (404)`)
  if (status === 429) return new AppError('model_failed', `${doing}: it was asked too often (429)`)
  if (status >= 500) return new AppError('model_failed', `${doing}: it failed (${status})`)
  return new ModelRefusal(`${doing}: it refuses what was asked (${status})`, status)
}

function isPassing(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500
}

/** As the provider says, in milliseconds, seconds or as a date; else longer each time. */
function waitOf({ headers }: Response, tries: number): number {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (ms >= 0) return ms
  return parseRetryAfter(headers.get('retry-after')) ?? backoffMs(BACKOFF, tries)
}
