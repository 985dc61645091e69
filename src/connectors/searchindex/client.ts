import type { AppError } from '../../errors.ts'
import { backoffMs } from '../../retry.ts'
import type { Egress } from '../egress/egress.ts'
import type { Connection } from './config.ts'
import type { SearchEngine } from './engines/engine.ts'
import { likelyFrom, signedBy } from './schema/recognise-engine.ts'
import { type IndexAddress, translate } from './translate.ts'
import { ClusterError, type ClusterRequest, createClusterTransport, NoResponse } from './transport.ts'
import { DEFAULT_RETRIES, pause, type RetryPolicy, retryAfterMs } from './write/pace.ts'

/** One bulk of 15 MB takes about 3 s on a small node; a minute is a node that hangs. */
const TIMEOUT_MS = 60_000
/** Of a check, before which a person sits. */
const CHECK_TIMEOUT_MS = 15_000

/** `settles` answers in the cluster's place where a failure is one of the answers that were expected. */
export type ClusterCall<T> = ClusterRequest & {
  settles?: (failure: ClusterError | NoResponse) => T | undefined
}
export type CallResult<T> = { value: T } | { error: AppError; waitMs: number }

export type SearchClient = {
  readonly place: IndexAddress
  readonly pace: RetryPolicy
  /** Once it is known what answers there. */
  recognised(engine: SearchEngine): void
  /** Again, with growing pauses, while the cluster is away or overloaded: what is sent must bear being sent twice. */
  call<T>(doing: string, request: ClusterCall<T>, signal: AbortSignal): Promise<T>
  once<T>(doing: string, request: ClusterCall<T>, signal: AbortSignal): Promise<T>
  /** One try with a job's patience, for whoever decides alone about the next. */
  attempt<T>(doing: string, request: ClusterCall<T>, signal: AbortSignal): Promise<CallResult<T>>
}

export function openClient(
  connection: Connection,
  egress: Egress,
  pace: RetryPolicy = DEFAULT_RETRIES,
): SearchClient {
  const urls = connection.hosts.map((host) => new URL(host))
  const headers = { authorization: connection.authorization, 'user-agent': 'millrace' }
  const send = createClusterTransport(urls, headers, egress.dispatcher)
  const place: IndexAddress = {
    hosts: urls.map((url) => url.host).join(', '),
    address: String(urls[0]),
    index: connection.index,
    credentials: connection.credentials,
    engine: undefined,
  }

  const attemptWithin =
    (timeoutMs: number): SearchClient['attempt'] =>
    async <T>(doing: string, { settles, ...sent }: ClusterCall<T>, signal: AbortSignal) => {
      signal.throwIfAborted()
      try {
        const { headers, body } = await send(sent, { timeoutMs }, signal)
        place.engine ??= signedBy(headers)
        return { value: body as T }
      } catch (failure) {
        signal.throwIfAborted()
        if (failure instanceof ClusterError) place.engine ??= signedBy(failure.headers)
        const expected =
          failure instanceof ClusterError || failure instanceof NoResponse ? failure : undefined
        const value = expected && settles?.(expected)
        if (value !== undefined) return { value }
        const likely = place.engine ?? (failure instanceof ClusterError ? likelyFrom(failure) : undefined)
        return {
          error: translate(failure, doing, { ...place, engine: likely }),
          waitMs: retryAfterMs(failure),
        }
      }
    }
  const attempt = attemptWithin(TIMEOUT_MS)
  const attemptOnce = attemptWithin(CHECK_TIMEOUT_MS)

  return {
    place,
    pace,
    recognised: (engine) => {
      place.engine = engine
    },
    attempt,
    async once(doing, request, signal) {
      const outcome = await attemptOnce(doing, request, signal)
      if ('error' in outcome) throw outcome.error
      return outcome.value
    },
    async call(doing, request, signal) {
      for (let count = 1; ; count++) {
        const outcome = await attempt(doing, request, signal)
        if ('value' in outcome) return outcome.value
        if (!outcome.error.retryable || count >= pace.attempts) throw outcome.error
        await pause(Math.max(outcome.waitMs, backoffMs(pace, count)), signal)
      }
    },
  }
}
