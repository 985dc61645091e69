import { AppError } from '../../errors.ts'
import { soleTenant, type Tenant } from '../tenant.ts'
import type { AllowedModels } from './allowed-models.ts'
import { type AnswerCache, cachedModel, memoryAnswers } from './answer-cache.ts'
import { anthropicApi } from './anthropic.ts'
import { bedrockApi } from './bedrock.ts'
import { configuredOf, type Endpoints } from './endpoints.ts'
import {
  createExchangePlaces,
  type Exchange,
  type ExchangePlaces,
  type Fetch,
  openExchange,
} from './exchange.ts'
import type { LanguageApi } from './language-api.ts'
import { type LanguageModel, MAX_TOKENS } from './model.ts'
import { openaiApi } from './openai.ts'
import {
  type ConfiguredProviders,
  type ModelRef,
  modelRefusal,
  needsEndpoint,
  type Provider,
} from './providers.ts'
import { meteredModel } from './token-meter.ts'
import { refuseUnfinished } from './unfinished.ts'

/** The model endpoints of a process, with one exchange per provider and workspace. */
export interface Models {
  readonly configured: ConfiguredProviders
  readonly endpoints: Endpoints
  /** Answers from the cache are not counted. */
  find(ref: ModelRef, tenant?: Tenant): LanguageModel
  exchange(provider: Provider, workspace: string): Exchange
}

export type ModelsOptions = {
  endpoints?: Endpoints
  allowed?: AllowedModels
  fetch?: Fetch
  answers?: AnswerCache
}

const CACHED_BYTES = 64 * 1024 * 1024

export function openModels(options: ModelsOptions = {}): Models {
  const { endpoints = {}, allowed = [], fetch = unreachable } = options
  const configured = configuredOf(endpoints, allowed)
  const answers = options.answers ?? memoryAnswers({ maxBytes: CACHED_BYTES })
  const places = new Map<Provider, ExchangePlaces>()
  const exchanges = new Map<string, Exchange>()
  const models = new Map<string, LanguageModel>()

  function exchange(provider: Provider, workspace: string): Exchange {
    const key = `${provider} ${workspace}`
    const existing = exchanges.get(key)
    if (existing) return existing
    const shared = places.get(provider) ?? createExchangePlaces()
    places.set(provider, shared)
    const created = openExchange({ fetch, workspace, places: shared })
    exchanges.set(key, created)
    return created
  }

  function create(ref: ModelRef, workspace: string): LanguageModel {
    const refusal = modelRefusal(configured, ref)
    if (refusal) throw new AppError('invalid_request', refusal)
    const created = modelOf(ref, { endpoints, exchange: exchange(ref.provider, workspace) })
    if (created) return created
    throw new AppError('invalid_request', `asking ${ref.model}: it ${needsEndpoint(ref.provider)}`)
  }

  return {
    configured,
    endpoints,
    exchange,
    find(ref, { workspace, meter } = soleTenant) {
      const key = `${workspace} ${ref.provider} ${ref.model}`
      const model = models.get(key) ?? create(ref, workspace)
      models.set(key, model)
      return cachedModel(meteredModel(model, meter), answers)
    },
  }
}

function modelOf(
  { provider, model }: ModelRef,
  { endpoints, exchange }: { endpoints: Endpoints; exchange: Exchange },
): LanguageModel | null {
  const endpoint = endpoints[provider]
  const api = apiOf({ provider, model }, endpoints)
  if (!endpoint || !api) return null
  const name = `${model} of ${provider}`
  const doing = `asking ${name}`
  return {
    name,
    identity: `${model} at ${new URL(endpoint.baseUrl).host}`,
    ask: ({ maxTokens = MAX_TOKENS, ...request }, signal) =>
      exchange.ask(
        doing,
        async (fetch) => {
          const { text, stop } = await api(fetch, { ...request, maxTokens })
          refuseUnfinished(doing, stop)
          if (text === undefined) throw new Error('the answer has no text')
          return text
        },
        signal,
      ),
  }
}

function apiOf({ provider, model }: ModelRef, endpoints: Endpoints): LanguageApi | null {
  const { anthropic, bedrock } = endpoints
  if (provider === 'anthropic') return anthropic ? anthropicApi(model, anthropic) : null
  if (provider === 'bedrock') return bedrock ? bedrockApi(model, bedrock) : null
  const endpoint = endpoints[provider]
  return endpoint ? openaiApi(model, endpoint) : null
}

const unreachable: Fetch = async () => {
  throw new AppError('egress_refused', 'no model endpoint can be reached here')
}
