import type { Dispatcher } from 'undici'

/**
 * The one way out. Connectors reach the network only through this guard: http(s) only, no credentials in URLs,
 * the resolved address must be public unless the operator allows the host, checked at connect time and on
 * every redirect; credentials never follow a redirect to another host.
 */
export interface Egress {
  /** What can be said of an address by looking at it: why it may not be used, or null. No name is resolved. */
  refusal(url: URL): string | null
  /** Listed by the operator: exempt from https only, hosted only and public addresses only. */
  isAllowed(url: URL): boolean
  /** Keeps connections alive and checks every address at connect time. For clients with a transport of their own. */
  readonly dispatcher: Dispatcher
  /** One request; redirects are followed (five at most), each checked, without credentials across hosts. */
  request(url: URL, options: EgressRequest, signal: AbortSignal): Promise<EgressResponse>
  /** The way to addresses that nobody configured. */
  readonly strangers: Strangers
  close(): Promise<void>
}

/**
 * The way to addresses that come out of documents, such as the pictures of a page. Whoever can write a page chooses
 * them, so that nobody is allowed anything: public addresses alone, whatever the operator allows for connectors and
 * even where everything is. By http as well as https, and with nothing that says who asks.
 */
export interface Strangers {
  refusal(url: URL): string | null
  request(url: URL, options: StrangerRequest, signal: AbortSignal): Promise<EgressResponse>
}

export type EgressRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  headers?: Record<string, string>
  body?: string
  /** A longer body is an error; nothing is read past it. Of an answer that is no success 64 KB are read at most. */
  maxBytes?: number
  /** Headers and body must have arrived by then. */
  timeoutMs?: number
  /**
   * Where a redirect leads to another host than was asked: as far as the operator allows, or, for what nobody would
   * read before it is used, like an address out of a document. Or nowhere: the redirect itself is the answer.
   */
  redirects?: 'as allowed' | 'to strangers' | 'nowhere'
  /** The longest silence: until the headers come, and between two pieces of the body. */
  idleMs?: number
  /** Asked once, with the first 4,100 bytes or all where there are fewer; where it says no, the rest is not read. */
  goesOn?: ((head: Uint8Array) => boolean | Promise<boolean>) | undefined
}
export type StrangerRequest = Required<Pick<EgressRequest, 'maxBytes' | 'timeoutMs'>> &
  Pick<EgressRequest, 'goesOn'> & { accept: string }

export type EgressResponse = {
  status: number
  headers: Headers
  url: URL
  /** False where `goesOn` said no, or where an error's body was longer than anybody reads. */
  whole: boolean
  text(): Promise<string>
  bytes(): Promise<Uint8Array>
}
