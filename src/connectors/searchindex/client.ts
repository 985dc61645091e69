import type {
  ConnectionRequestOptions,
  ConnectionRequestParams,
  ConnectionRequestResponse,
  TransportRequestOptions,
} from '@elastic/elasticsearch'
import { BaseConnection, Client, errors } from '@elastic/elasticsearch'
import { type Dispatcher, request } from 'undici'
import type { AppError } from '../../errors.ts'
import { appErrorIn, describeFailure } from '../egress/failure.ts'
import type { Egress } from '../egress.ts'
import type { SearchIndexConfig } from './config.ts'
import { backoffMs, type Pace, pause, retryAfterMs, USUAL_PACE } from './pace.ts'
import { AnswerTooLong, type Place, REDIRECTED, translate } from './translate.ts'

/** One bulk of 15 MB takes about 3 s on a small node; a minute is a node that hangs. */
const TIMEOUT_MS = 60_000
/** Of a check, before which a person sits. */
const CHECK_TIMEOUT_MS = 15_000
/** A page of hits with their text is far below; a server that sends more is not what it says. */
const MOST_BYTES = 64_000_000

export type Request<T> = (client: Client, options: TransportRequestOptions) => Promise<T>

export type SearchClient = {
  readonly place: Place
  readonly pace: Pace
  /** Again, with growing pauses, while the cluster is away or overloaded: what is sent must bear being sent twice. */
  call<T>(doing: string, request: Request<T>, signal: AbortSignal): Promise<T>
  once<T>(doing: string, request: Request<T>, signal: AbortSignal): Promise<T>
  close(): Promise<void>
}

/** The official client over the guarded way out: no sniffing, no redirects, connections kept by the guard's dispatcher. */
export function openClient(config: SearchIndexConfig, egress: Egress, pace: Pace = USUAL_PACE): SearchClient {
  const urls = config.hosts.map((host) => new URL(host))
  const client = new Client({
    nodes: urls.map((url) => ({ url })),
    auth: { apiKey: encodedKey(config.search_api_key) },
    Connection: connectionThrough(egress.dispatcher),
    compression: true,
    // Once at each further host, at once; with pauses is the business of `call`.
    maxRetries: urls.length - 1,
    requestTimeout: TIMEOUT_MS,
    maxResponseSize: MOST_BYTES,
    enableMetaHeader: false,
    name: 'millrace',
  })
  const place = {
    hosts: urls.map((url) => url.host).join(', '),
    address: String(urls[0]),
    index: config.index_name,
  }

  const attempt = async <T>(
    { doing, send, requestTimeout }: Attempt<T>,
    signal: AbortSignal,
  ): Promise<Outcome<T>> => {
    signal.throwIfAborted()
    try {
      return { value: await send(client, { signal, requestTimeout }) }
    } catch (error) {
      signal.throwIfAborted()
      return { error: translate(error, doing, place), waitMs: retryAfterMs(error) }
    }
  }

  return {
    place,
    pace,
    async once(doing, send, signal) {
      const outcome = await attempt({ doing, send, requestTimeout: CHECK_TIMEOUT_MS }, signal)
      if ('error' in outcome) throw outcome.error
      return outcome.value
    },
    async call(doing, send, signal) {
      for (let count = 1; ; count++) {
        const outcome = await attempt({ doing, send, requestTimeout: TIMEOUT_MS }, signal)
        if ('value' in outcome) return outcome.value
        if (!outcome.error.retryable || count >= pace.attempts) throw outcome.error
        await pause(Math.max(outcome.waitMs, backoffMs(pace, count)), signal)
      }
    },
    close: () => client.close(),
  }
}

type Attempt<T> = { doing: string; send: Request<T>; requestTimeout: number }
type Outcome<T> = { value: T } | { error: AppError; waitMs: number }

function encodedKey(key: string): string {
  return key.includes(':') ? Buffer.from(key).toString('base64') : key
}

function connectionThrough(dispatcher: Dispatcher): typeof BaseConnection {
  return class GuardedConnection extends BaseConnection {
    override async request(
      params: ConnectionRequestParams,
      options: ConnectionRequestOptions,
    ): Promise<ConnectionRequestResponse>
    // The base class overloads this for streams, which nothing here asks for.
    override async request(params: ConnectionRequestParams, options: ConnectionRequestOptions): Promise<never>
    override async request(
      params: ConnectionRequestParams,
      options: ConnectionRequestOptions,
    ): Promise<ConnectionRequestResponse> {
      const prefix = this.url.pathname.replace(/\/$/, '')
      const query = params.querystring ? `?${params.querystring}` : ''
      try {
        const response = await request(new URL(`${prefix}${params.path}${query}`, this.url.origin), {
          dispatcher,
          method: params.method as Dispatcher.HttpMethod,
          // Answers are small and uncompressed, so that none can unfold into more than was counted.
          headers: { ...this.headers, ...plainHeaders(params.headers), 'accept-encoding': 'identity' },
          body: (params.body as string | Buffer | undefined) ?? null,
          signal: options.signal ?? null,
          headersTimeout: options.timeout ?? this.timeout,
          bodyTimeout: options.timeout ?? this.timeout,
        })
        const { statusCode, headers } = response
        const body = await text(response.body, options.maxResponseSize ?? MOST_BYTES)
        if (statusCode >= 300 && statusCode < 400) throw new errors.ConnectionError(REDIRECTED)
        return { statusCode, headers, body }
      } catch (error) {
        throw asTransportError(error)
      }
    }

    override async close(): Promise<void> {
      // The sockets are the dispatcher's, and that is the guard's to close.
    }
  }
}

function plainHeaders(headers: ConnectionRequestParams['headers']): Record<string, string> {
  const entries = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

async function text(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.byteLength
    if (bytes > most) throw new AnswerTooLong()
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The client's own kinds of errors, by which it knows a dead node; what the guard says passes as it is. */
function asTransportError(error: unknown): Error {
  const told = appErrorIn(error)
  // That a name leads nowhere is a dead node as well, of which the guard cannot know on which side it stands.
  if (told?.code === 'source_unreachable')
    return new errors.ConnectionError(told.cause ? describeFailure(told.cause) : 'the name has no address')
  if (told) return told
  if (error instanceof errors.ElasticsearchClientError || error instanceof AnswerTooLong) return error
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'AbortError') return new errors.RequestAbortedError('aborted')
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new errors.TimeoutError('timed out')
  return new errors.ConnectionError(describeFailure(error))
}
