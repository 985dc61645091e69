import type { OpenAI } from 'openai'
import type { Endpoint } from './endpoints.ts'

/** Providers with OpenAI's API, each at its own address. */
export type OpenAICompatible = 'openai' | 'azure_openai' | 'togetherai'

/** Sets every option, so that the client reads none from the environment. */
export async function openaiClient(
  { baseUrl, apiKey, apiVersion }: Endpoint & { apiVersion?: string },
  fetch: typeof globalThis.fetch,
): Promise<OpenAI> {
  const { AzureOpenAI, OpenAI } = await import('openai')
  const common = {
    // The client requires a key, even if a private server does not.
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    // Otherwise OPENAI_LOG makes the client print requests.
    logLevel: 'off' as const,
    fetch,
  }
  if (apiVersion !== undefined) return new AzureOpenAI({ ...common, endpoint: baseUrl, apiVersion })
  return new OpenAI({ ...common, baseURL: baseUrl })
}

/** Longer than the exchange's own timeout. */
const TIMEOUT_MS = 3_600_000
