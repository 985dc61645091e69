import type { OpenAI } from 'openai'
import type { Endpoints } from './endpoints.ts'

/** Providers that speak the same language, each at its own address. */
export type Speaking = 'openai' | 'azure_openai' | 'togetherai'

export type OpenAIClient = { endpoint: NonNullable<Endpoints[Speaking]>; host: string; with: WithFetch }
type WithFetch = (fetch: typeof globalThis.fetch) => Promise<OpenAI>

/** Everything is given, so that nothing of the environment under other names is taken up by the client. */
export function openaiClient(provider: Speaking, endpoints: Endpoints): OpenAIClient | null {
  const endpoint = endpoints[provider]
  if (!endpoint) return null
  // A server of one's own may want no key; the client wants one all the same.
  const apiKey = endpoint.apiKey ?? 'none'
  const common = {
    ...{ apiKey, organization: null, project: null },
    // The client would tell requests to the terminal where a variable of its own asks for that.
    ...{ maxRetries: 0, timeout: LONGEST_MS, logLevel: 'off' as const },
  }
  return {
    endpoint,
    host: new URL(endpoint.baseUrl).host,
    async with(fetch) {
      const { AzureOpenAI, OpenAI } = await import('openai')
      if ('apiVersion' in endpoint) {
        const { baseUrl, apiVersion } = endpoint
        return new AzureOpenAI({ ...common, endpoint: baseUrl, apiVersion, fetch })
      }
      return new OpenAI({ ...common, baseURL: endpoint.baseUrl, fetch })
    },
  }
}

/** Longer than anybody waits: the exchange has the clock. */
const LONGEST_MS = 3_600_000
