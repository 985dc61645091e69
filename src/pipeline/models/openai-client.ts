import type { OpenAI } from 'openai'
import type { Endpoints } from './endpoints.ts'

/** Providers with OpenAI's API, each at its own address. */
export type OpenAICompatible = 'openai' | 'azure_openai' | 'togetherai'

export type OpenAIClient = {
  endpoint: NonNullable<Endpoints[OpenAICompatible]>
  host: string
  connect: Connect
}
type Connect = (fetch: typeof globalThis.fetch) => Promise<OpenAI>

/** Sets every option, so that the client reads none from the environment. */
export function openaiClient(provider: OpenAICompatible, endpoints: Endpoints): OpenAIClient | null {
  const endpoint = endpoints[provider]
  if (!endpoint) return null
  // The client requires a key, even if a private server does not.
  const apiKey = endpoint.apiKey ?? 'none'
  const common = {
    apiKey,
    organization: null,
    project: null,
    // Otherwise OPENAI_LOG makes the client print requests.
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: 'off' as const,
  }
  return {
    endpoint,
    host: new URL(endpoint.baseUrl).host,
    async connect(fetch) {
      const { AzureOpenAI, OpenAI } = await import('openai')
      if ('apiVersion' in endpoint) {
        const { baseUrl, apiVersion } = endpoint
        return new AzureOpenAI({ ...common, endpoint: baseUrl, apiVersion, fetch })
      }
      return new OpenAI({ ...common, baseURL: endpoint.baseUrl, fetch })
    },
  }
}

/** Longer than the exchange's own timeout. */
const TIMEOUT_MS = 3_600_000
