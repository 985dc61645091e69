import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import type { SocketTarget } from './guarded-socket.ts'
import type { SandboxDatabase } from './sandbox-host.ts'

/**
 * The only way to the network for connectors; every connection and redirect is checked. Credentials never
 * follow a redirect to another host.
 */
export interface Egress {
  /** Why this URL is refused, or null, without resolving its name. */
  refusal(url: URL): string | null
  /** Whether the service operator lists the host: it is then exempt from https-only, hosted-only and public-only. */
  isAllowed(url: URL): boolean
  /** For clients with their own transport; checks every address at connect time. */
  readonly dispatcher: Dispatcher
  /** For clients with their own protocol: `connect` checks every address of the target. */
  socket(target: SocketTarget): Socket
  /** Where the sandbox host leads; null if it is switched off. */
  readonly sandbox: SandboxDatabase | null
  /** Sends one request; follows up to five checked redirects, without credentials across hosts. */
  request(url: URL, options: EgressRequest, signal: AbortSignal): Promise<EgressResponse>
  /** For addresses in documents, which any editor of a page chooses: only public ones, without credentials. */
  readonly untrusted: {
    refusal(url: URL): string | null
    request(url: URL, options: UntrustedRequest, signal: AbortSignal): Promise<EgressResponse>
  }
  /** The same egress with more trusted authorities for these hosts (`name` or `name:port`), and own connections. */
  trusting(trust: { hosts: string[]; certificates: string[] }): Egress
  close(): Promise<void>
}

export interface SharedEgress extends Egress {
  /** The same egress with own connections, until the shared one is closed. */
  forWorkspace(workspace: string): Egress
}

export type EgressRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  headers?: Record<string, string>
  body?: string
  /** A longer body is an error; error bodies are cut at 64 KB. */
  maxBytes?: number
  /** For headers and body together. */
  timeoutMs?: number
  /** Which other hosts a redirect may reach: allowed ones, or only public ones. `none` returns the redirect. */
  redirects?: 'as allowed' | 'untrusted' | 'none'
  /** The longest silence before the headers and between parts of the body. */
  idleMs?: number
  /** The lowest average speed of the body, checked after a time. */
  minSpeed?: { bytesPerSecond: number; afterMs: number }
  /** Returns at the headers; the body stays unread, whatever it is. */
  discardBody?: boolean
  /** Called once with the first 4,100 bytes or fewer; false skips the rest. */
  shouldContinue?: ((head: Uint8Array) => boolean | Promise<boolean>) | undefined
}

export type UntrustedRequest = Required<Pick<EgressRequest, 'maxBytes' | 'timeoutMs'>> &
  Pick<EgressRequest, 'shouldContinue'> & { accept: string }

export type EgressResponse = {
  status: number
  headers: Headers
  url: URL
  /** False if `shouldContinue` returned false or an error body was cut. */
  complete: boolean
  text(): Promise<string>
  bytes(): Promise<Uint8Array>
}
