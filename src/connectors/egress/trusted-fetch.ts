import { AppError } from '../../errors.ts'
import type { Connect, Resolve } from './connect.ts'
import { networkWith } from './guard.ts'
import { createGuardedClient } from './guarded-client.ts'
import type { EgressProxy } from './proxy.ts'

export type TrustedFetch = {
  fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

/**
 * `fetch` for model clients, to the configured origins only. Redirects are refused, since they would get the
 * key.
 */
export function trustedFetch(
  origins: readonly string[],
  network: { resolve?: Resolve; connect?: Connect; proxy?: EgressProxy | null } = {},
): TrustedFetch {
  const trusted = new Set(origins)
  const client = createGuardedClient(
    {
      isExempt: (url) => trusted.has(url.origin),
      allowsAnyAddress: false,
      fix: null,
      allowsHttp: false,
    },
    networkWith({ hosts: [] }, network),
    // A model may take two minutes to read an image.
    { connections: 16, keepAliveTimeout: 15_000, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS },
  )

  return {
    async fetch(input, init = {}) {
      const url = new URL(input instanceof Request ? input.url : input)
      if (!trusted.has(url.origin)) {
        throw new AppError(
          'egress_refused',
          `connecting to ${url.host}: no model endpoint is configured there`,
        )
      }
      const method = (init.method ?? 'GET').toUpperCase() as 'GET' | 'POST'
      const headers = Object.fromEntries(new Headers(init.headers ?? {}))
      const body = init.body === undefined || init.body === null ? {} : { body: asText(init.body) }
      const response = await client.request(
        url,
        { method, headers, ...body, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, redirects: 'none' },
        init.signal ?? new AbortController().signal,
      )
      for (const name of ['content-encoding', 'content-length', 'transfer-encoding'])
        response.headers.delete(name)
      const bytes = await response.bytes()
      const empty = [101, 204, 205, 304].includes(response.status)
      return new Response(empty ? null : Buffer.from(bytes), {
        status: response.status,
        headers: response.headers,
      })
    },
    close: () => client.dispatcher.destroy(),
  }
}

const TIMEOUT_MS = 300_000
// 2,048 vectors of 3,072 dimensions are 34 MB as base64; batches are far smaller.
const MAX_BYTES = 64 * 1024 * 1024

/** Requests are JSON; clients that sign them pass bytes. */
function asText(body: NonNullable<RequestInit['body']>): string {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  throw new TypeError('a body that is neither text nor bytes')
}
