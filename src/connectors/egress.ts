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
  close(): Promise<void>
}

export type EgressRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  headers?: Record<string, string>
  body?: string
  /** A longer body is an error; nothing is read past it. */
  maxBytes?: number
  /** Headers and body must have arrived by then. */
  timeoutMs?: number
}

export type EgressResponse = {
  status: number
  headers: Headers
  url: URL
  text(): Promise<string>
  bytes(): Promise<Uint8Array>
}
