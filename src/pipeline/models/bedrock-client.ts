import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'
import type { BedrockEndpoint } from './endpoints.ts'

/** The vendor's client, which signs; what it signed goes out by our own way. */
export async function bedrockClient(
  endpoint: BedrockEndpoint,
  fetch: typeof globalThis.fetch,
): Promise<BedrockRuntimeClient> {
  const { BedrockRuntimeClient } = await import('@aws-sdk/client-bedrock-runtime')
  const { accessKeyId, secretAccessKey, sessionToken } = endpoint
  return new BedrockRuntimeClient({
    region: endpoint.region,
    endpoint: endpoint.baseUrl,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
    maxAttempts: 1,
    // Not a token that the environment may hold for other programs.
    authSchemePreference: ['sigv4'],
    requestHandler: { handle: (request: Signed) => send(request, fetch) } as never,
  })
}

type Signed = {
  method: string
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

async function send(request: Signed, fetch: typeof globalThis.fetch) {
  const { method, protocol, hostname, port, path, headers, body } = request
  const url = `${protocol}//${hostname}${port ? `:${port}` : ''}${path}`
  // `host` is signed, and is what the address says anyway.
  const { host: _, 'content-length': __, ...sent } = headers
  const answer = await fetch(url, { method, headers: sent, ...(body === undefined ? {} : { body }) })
  return {
    response: {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: new Uint8Array(await answer.arrayBuffer()),
    },
  }
}
