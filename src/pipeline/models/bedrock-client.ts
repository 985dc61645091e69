import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'
import type { BedrockEndpoint } from './endpoints.ts'

/** The AWS client signs requests; our own `fetch` sends them. */
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
    // Ignores bearer tokens that the environment holds for other programs.
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
  // `fetch` derives `host`, which is signed, from the URL.
  const { host: _, 'content-length': __, ...sent } = headers
  const response = await fetch(url, { method, headers: sent, ...(body === undefined ? {} : { body }) })
  return {
    response: {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
    },
  }
}
