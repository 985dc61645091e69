import { type AllowedModels, isAllowedModel } from './allowed-models.ts'

/** Model providers, named as in the API. */
export const PROVIDERS = [
  'openai',
  'azure_openai',
  'anthropic',
  'bedrock',
  'togetherai',
  'voyageai',
  'cohere',
] as const
export type Provider = (typeof PROVIDERS)[number]

/** Providers of language models, in order of preference for nodes that name none. */
export const LANGUAGE_PROVIDERS = ['anthropic', 'openai', 'azure_openai', 'bedrock'] as const
export type LanguageProvider = (typeof LANGUAGE_PROVIDERS)[number]

/** The configured providers, each with its default model and the patterns of allowed ones. */
export type ConfiguredProviders = Partial<Record<Provider, { model: string; allowed?: AllowedModels }>>

export type ModelRef = { provider: LanguageProvider; model: string }

/** The variables that configure each provider. */
export const PROVIDER_VARIABLES: Record<Provider, string> = {
  openai: 'MILLRACE_OPENAI_API_KEY, or MILLRACE_OPENAI_BASE_URL for an endpoint of your own',
  azure_openai: 'MILLRACE_AZURE_OPENAI_ENDPOINT and MILLRACE_AZURE_OPENAI_API_KEY',
  anthropic: 'MILLRACE_ANTHROPIC_API_KEY, or MILLRACE_ANTHROPIC_BASE_URL for an endpoint of your own',
  bedrock: 'MILLRACE_BEDROCK_REGION, MILLRACE_BEDROCK_ACCESS_KEY_ID and MILLRACE_BEDROCK_SECRET_ACCESS_KEY',
  togetherai: 'MILLRACE_TOGETHER_API_KEY',
  voyageai: 'MILLRACE_VOYAGE_API_KEY',
  cohere: 'MILLRACE_COHERE_API_KEY',
}

export function isProvider(name: string): name is Provider {
  return (PROVIDERS as readonly string[]).includes(name)
}

export function isLanguageProvider(name: string): name is LanguageProvider {
  return (LANGUAGE_PROVIDERS as readonly string[]).includes(name)
}

/** Ends a 422 about a provider that is not configured. */
export function needsEndpoint(provider: Provider): string {
  return `needs a configured model endpoint; the service operator sets ${PROVIDER_VARIABLES[provider]}`
}

export const NEEDS_ANY_ENDPOINT =
  'needs a configured model endpoint, and none is configured; the service operator sets one with MILLRACE_OPENAI_…, ' +
  'MILLRACE_ANTHROPIC_…, MILLRACE_AZURE_OPENAI_… or MILLRACE_BEDROCK_…'

/** Why a node may not use the model; null if it may. */
export function modelRefusal(
  configured: ConfiguredProviders,
  { provider, model }: { provider: Provider; model: string },
): string | null {
  const allowed = configured[provider]?.allowed ?? []
  if (isAllowedModel(allowed, { provider, model })) return null
  const name = JSON.stringify(`${provider}/${model}`.slice(0, 200))
  return `the model ${name} is not allowed here; allowed are ${allowed.join(', ')}`
}

/** The provider for nodes that name none. */
export function firstConfiguredModel(configured: ConfiguredProviders): ModelRef | null {
  const refs = LANGUAGE_PROVIDERS.flatMap((provider) => {
    const found = configured[provider]
    return found ? [{ provider, model: found.model }] : []
  })
  const isAllowed = (ref: ModelRef) => isAllowedModel(configured[ref.provider]?.allowed ?? [], ref)
  return refs.find(isAllowed) ?? refs[0] ?? null
}
