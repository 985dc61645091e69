import {
  ANY_MODEL_PROVIDERS,
  DEFAULT_EMBEDDING_MODELS,
  type EmbeddingProvider,
  isEmbeddingProvider,
  KNOWN_MODELS,
  knownModel,
} from './embed/known-models.ts'
import type { RemoteEmbed } from './embed/remote-vectors.ts'
import { type EnrichKind, type EnrichStep, isEnrichKind } from './enrich/kinds.ts'
import {
  type ConfiguredProviders,
  firstConfiguredModel,
  isLanguageProvider,
  LANGUAGE_PROVIDERS,
  type LanguageProvider,
  type ModelRef,
  modelRefusal,
  NEEDS_ANY_ENDPOINT,
  needsEndpoint,
  type Provider,
} from './models/providers.ts'

type Problem = { at: string[]; msg: string; type?: string }
type Settings = Record<string, unknown>
type TypedNode = { type: string; subtype: string; settings: Settings }

/** Splits `openai_image_description` into provider and kind; `twopass_table2html` names no provider. */
function parseEnrichmentSubtype(
  subtype: string,
): { provider: LanguageProvider | null; kind: EnrichKind } | null {
  if (subtype === 'twopass_table2html') return { provider: null, kind: 'table2html' }
  for (const provider of LANGUAGE_PROVIDERS) {
    const kind = subtype.startsWith(`${provider}_`) ? subtype.slice(provider.length + 1) : ''
    if (isEnrichKind(kind)) return { provider, kind }
  }
  return null
}

export function enrichmentProblems(
  subtype: string,
  given: Settings,
  configured: ConfiguredProviders,
): Problem[] {
  const { provider } = parseEnrichmentSubtype(subtype) ?? { provider: null }
  const chosen = provider === null ? chosenProvider(given.provider_type) : null
  if (chosen !== null && !(isLanguageProvider(chosen) && configured[chosen])) {
    const msg = isLanguageProvider(chosen)
      ? `the enrichment ${subtype} with ${chosen} ${needsEndpoint(chosen)}`
      : `provider_type ${notAvailable(chosen)}`
    return [{ at: ['settings', 'provider_type'], msg }]
  }
  if (provider && !configured[provider])
    return [{ at: ['subtype'], msg: `the enrichment ${subtype} ${needsEndpoint(provider)}` }]
  const first = firstConfiguredModel(configured)
  if (!first) return [{ at: ['subtype'], msg: `the enrichment ${subtype} ${NEEDS_ANY_ENDPOINT}` }]
  const used = provider ?? chosen ?? first.provider
  // The checks above leave only language providers.
  return refusalProblems(modelRefOf(used as LanguageProvider, given, configured), configured, 'model')
}

export function visionProblems(given: Settings, configured: ConfiguredProviders, at: string[]): Problem[] {
  const provider = chosenProvider(given.provider)
  if (provider !== null && !isLanguageProvider(provider))
    return [{ at: ['settings', 'provider'], msg: `provider ${notAvailable(provider)}` }]
  if (provider !== null && !configured[provider])
    return [{ at, msg: `the partitioner vlm ${needsEndpoint(provider)}` }]
  const ref = visionModelOf(given, configured)
  if (ref) return refusalProblems(ref, configured, 'model')
  return [
    {
      at,
      msg: `the partitioner vlm ${NEEDS_ANY_ENDPOINT}; with "is_dynamic": true it means auto, which needs none`,
    },
  ]
}

export function contextProblems(given: Settings, configured: ConfiguredProviders): Problem[] {
  if (given.contextual_chunking_strategy === undefined) return []
  const provider = given.contextual_chunking_provider
  const at = ['settings', 'contextual_chunking_strategy']
  if (isText(provider)) {
    const ref = contextModelOf(given, configured)
    const known = isLanguageProvider(provider) && configured[provider]
    if (known && ref) return refusalProblems(ref, configured, 'contextual_chunking_model')
    const why = isLanguageProvider(provider)
      ? needsEndpoint(provider)
      : `needs one of the providers ${LANGUAGE_PROVIDERS.join(', ')}`
    return [{ at: ['settings', 'contextual_chunking_provider'], msg: `contextual chunking ${why}` }]
  }
  const first = firstConfiguredModel(configured)
  if (!first) return [{ at, msg: `contextual chunking ${NEEDS_ANY_ENDPOINT}` }]
  return refusalProblems(first, configured, 'contextual_chunking_model')
}

export function embeddingProblems(
  subtype: EmbeddingProvider,
  given: Settings,
  configured: ConfiguredProviders,
): Problem[] {
  if (!configured[subtype])
    return [{ at: ['subtype'], msg: `the embedder ${subtype} ${needsEndpoint(subtype)}` }]
  const name = isText(given.model_name) ? given.model_name : DEFAULT_EMBEDDING_MODELS[subtype]
  // The endpoint runs its deployment, under any model name.
  const model = isText(given.deployment) ? given.deployment : name
  const field = isText(given.deployment) ? 'deployment' : 'model_name'
  const refused = refusalProblems({ provider: subtype, model }, configured, field)
  if (refused.length > 0) return refused
  const known = knownModel(subtype, name)
  const dimensions = typeof given.dimensions === 'number' ? given.dimensions : null
  if (!known) {
    const any = ANY_MODEL_PROVIDERS.includes(subtype)
    if (any && dimensions !== null) return []
    const hint = any ? '; for any other, set dimensions' : ''
    const msg = `model_name ${JSON.stringify(name.slice(0, 100))} is not known; known models are ${Object.keys(KNOWN_MODELS[subtype]).join(', ')}${hint}`
    return [{ at: ['settings', 'model_name'], msg, type: 'enum' }]
  }
  if (dimensions === null || dimensions === known.dims) return []
  const { shortens, dims } = known
  if (shortens === 'any' ? dimensions < dims : shortens?.includes(dimensions)) return []
  const lengths = shortens === 'any' ? `at most ${dims}` : [...(shortens ?? []), dims].join(', ')
  return [{ at: ['settings', 'dimensions'], msg: `dimensions: ${name} supports ${lengths}` }]
}

function refusalProblems(
  ref: { provider: Provider; model: string },
  configured: ConfiguredProviders,
  field: string,
): Problem[] {
  const msg = modelRefusal(configured, ref)
  return msg === null ? [] : [{ at: ['settings', field], msg }]
}

/** Adds the default model to the settings, so that a new default does not change existing workflows. */
export function withDefaultModels(
  { type, subtype, settings }: TypedNode,
  configured: ConfiguredProviders,
): Settings {
  if (type === 'prompter') {
    const parsed = parseEnrichmentSubtype(subtype)
    const chosen = chosenProvider(settings.provider_type) ?? firstConfiguredModel(configured)?.provider ?? ''
    const provider = parsed?.provider ?? chosen
    if (!isLanguageProvider(provider)) return settings
    const { model } = modelRefOf(provider, settings, configured)
    return {
      ...settings,
      ...(parsed?.provider ? {} : { provider_type: provider }),
      ...(model === '' ? {} : { model }),
    }
  }
  if (type === 'partition' && usesVisionModel(subtype, settings)) {
    const ref = visionModelOf(settings, configured)
    return ref ? { ...settings, provider: ref.provider, model: ref.model } : settings
  }
  if (type === 'chunk' && isText(settings.contextual_chunking_strategy)) {
    const ref = contextModelOf(settings, configured)
    if (!ref) return settings
    return {
      ...settings,
      contextual_chunking_provider: ref.provider,
      contextual_chunking_model: ref.model,
    }
  }
  return settings
}

export function planEnrichment({ subtype, settings }: Omit<TypedNode, 'type'>): EnrichStep[] {
  const parsed = parseEnrichmentSubtype(subtype)
  if (!parsed) return []
  const provider = parsed.provider ?? String(settings.provider_type ?? '')
  if (!isLanguageProvider(provider)) return []
  const prompt = promptOf(settings)
  return [{ kind: parsed.kind, provider, model: String(settings.model ?? ''), ...(prompt ? { prompt } : {}) }]
}

export function usesVisionModel(subtype: string, settings: Settings): boolean {
  if (subtype === 'vlm') return settings.is_dynamic !== true
  return subtype === 'unstructured_api' && settings.strategy === 'vlm'
}

export function visionModelOf(settings: Settings, configured: ConfiguredProviders = {}): ModelRef | null {
  const provider = chosenProvider(settings.provider)
  if (!provider || !isLanguageProvider(provider)) return firstConfiguredModel(configured)
  return modelRefOf(provider, settings, configured)
}

export function contextModelOf(settings: Settings, configured: ConfiguredProviders = {}): ModelRef | null {
  const { contextual_chunking_provider: provider, contextual_chunking_model: model } = settings
  if (!isText(provider) || !isLanguageProvider(provider)) return firstConfiguredModel(configured)
  return modelRefOf(provider, { model }, configured)
}

export function planEmbedding(subtype: string, settings: Settings): RemoteEmbed | null {
  if (!isEmbeddingProvider(subtype)) return null
  const model = isText(settings.model_name) ? settings.model_name : DEFAULT_EMBEDDING_MODELS[subtype]
  const { dimensions, deployment } = settings
  const isShorter = typeof dimensions === 'number' && dimensions !== knownModel(subtype, model)?.dims
  return {
    subtype,
    model,
    ...(isShorter ? { dimensions } : {}),
    ...(isText(deployment) && deployment !== model ? { deployment } : {}),
  }
}

function modelRefOf(
  provider: LanguageProvider,
  { model }: Settings,
  configured: ConfiguredProviders,
): ModelRef {
  return { provider, model: isText(model) ? model : (configured[provider]?.model ?? '') }
}

/** Null for "auto". */
function chosenProvider(provider: unknown): string | null {
  return isText(provider) && provider !== 'auto' ? provider : null
}

function notAvailable(provider: string): string {
  return `${JSON.stringify(provider.slice(0, 100))} is not available; choose one of ${LANGUAGE_PROVIDERS.join(', ')}`
}

function promptOf({ prompt_interface_overrides: overrides }: Settings): string | null {
  const user = (overrides as { prompt?: { user?: unknown } } | null | undefined)?.prompt?.user
  return isText(user) ? user : null
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
