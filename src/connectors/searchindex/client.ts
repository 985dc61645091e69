import type { AppError } from '../../errors.ts'
import { parseRetryAfter } from '../../retry.ts'
import type { Egress } from '../egress/egress.ts'
import { DEFAULT_RETRIES, type RetryPolicy, retry } from '../kit/retries.ts'
import type { Connection } from './config.ts'
import type { SearchEngine } from './engines/engine.ts'
import { engineFromHeaders, likelyEngine } from './schema/recognise-engine.ts'
import { type IndexAddress, translate } from './translate.ts'
import { ClusterError, type ClusterRequest, createClusterTransport, NoResponse } from './transport.ts'

/** A bulk of 15 MB takes about 3 s on a small node. */
const TIMEOUT_MS = 60_000
/** For checks, because a person waits for them. */
const CHECK_TIMEOUT_MS = 15_000

/** `recover` turns an expected failure into a value. */
export type ClusterCall<T> = ClusterRequest & {
  recover?: (failure: ClusterError | NoResponse) => T | undefined
}
type CallResult<T> = { value: T } | { error: AppError; waitMs: number }

export type SearchClient = {
  readonly address: IndexAddress
  readonly retries: RetryPolicy
  /** Called once the engine is known. */
  setEngine(engine: SearchEngine): void
  /** Retries with backoff; the request must be idempotent. */
  call<T>(doing: string, request: ClusterCall<T>, signal: AbortSignal): Promise<T>
  once<T>(doing: string, request: ClusterCall<T>, signal: AbortSignal): Promise<T>
  /** One attempt with a job's timeout; the caller decides about retries. */
  attempt<T>(doing: string, request: ClusterCall<T>, signal: AbortSignal): Promise<CallResult<T>>
}

export function openClient(
  connection: Connection,
  egress: Egress,
  retries: RetryPolicy = DEFAULT_RETRIES,
): SearchClient {
  const urls = connection.hosts.map((host) => new URL(host))
  const headers = { authorization: connection.authorization, 'user-agent': 'millrace' }
  const send = createClusterTransport(urls, headers, egress.dispatcher)
  const address: IndexAddress = {
    hosts: urls.map((url) => url.host).join(', '),
    firstHost: String(urls[0]),
    index: connection.index,
    credentials: connection.credentials,
    engine: undefined,
  }

  const attemptWithin =
    (timeoutMs: number): SearchClient['attempt'] =>
    async <T>(doing: string, { recover, ...sent }: ClusterCall<T>, signal: AbortSignal) => {
      signal.throwIfAborted()
      try {
        const { headers, body } = await send(sent, { timeoutMs }, signal)
        address.engine ??= engineFromHeaders(headers)
        return { value: body as T }
      } catch (failure) {
        signal.throwIfAborted()
        if (failure instanceof ClusterError) address.engine ??= engineFromHeaders(failure.headers)
        const expected =
          failure instanceof ClusterError || failure instanceof NoResponse ? failure : undefined
        const value = expected && recover?.(expected)
        if (value !== undefined) return { value }
        const likely = address.engine ?? (failure instanceof ClusterError ? likelyEngine(failure) : undefined)
        return {
          error: translate(failure, doing, { ...address, engine: likely }),
          waitMs: retryAfterMs(failure),
        }
      }
    }
  const attempt = attemptWithin(TIMEOUT_MS)
  const attemptOnce = attemptWithin(CHECK_TIMEOUT_MS)

  return {
    address,
    retries,
    setEngine: (engine) => {
      address.engine = engine
    },
    attempt,
    async once(doing, request, signal) {
      const outcome = await attemptOnce(doing, request, signal)
      if ('error' in outcome) throw outcome.error
      return outcome.value
    },
    call: (doing, request, signal) => retry(retries, () => attempt(doing, request, signal), signal),
  }
}

/** The wait that the cluster asked for, at most a minute. */
function retryAfterMs(error: unknown): number {
  const headers = (error as { headers?: Record<string, unknown> } | null)?.headers
  return Math.min(parseRetryAfter(String(headers?.['retry-after'] ?? '')) ?? 0, 60_000)
}
