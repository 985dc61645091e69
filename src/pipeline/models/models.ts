import { AppError } from '../../errors.ts'
import type { AllowedModels } from './allowed-models.ts'
import { type AnswerCache, cachedModel, memoryAnswers } from './answer-cache.ts'
import { anthropicModel } from './anthropic.ts'
import { bedrockModel } from './bedrock.ts'
import { configuredOf, type Endpoints } from './endpoints.ts'
import { type Exchange, type Fetch, openExchange } from './exchange.ts'
import type { LanguageModel } from './model.ts'
import { openaiModel } from './openai.ts'
import {
  type ConfiguredProviders,
  type ModelRef,
  modelRefusal,
  needsEndpoint,
  type Provider,
} from './providers.ts'
import { meteredModel, type TokenMeter, unlimitedMeter } from './token-meter.ts'

/** The model endpoints of a process, with one exchange per provider. */
export interface Models {
  readonly configured: ConfiguredProviders
  readonly endpoints: Endpoints
  /** Answers from the cache are not counted. */
  find(ref: ModelRef, meter?: TokenMeter): LanguageModel
  exchange(provider: Provider): Exchange
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
  const exchanges = new Map<Provider, Exchange>()
  const models = new Map<string, LanguageModel>()

  function exchange(provider: Provider): Exchange {
    const existing = exchanges.get(provider)
    if (existing) return existing
    const created = openExchange({ fetch })
    exchanges.set(provider, created)
    return created
  }

  function create(ref: ModelRef): LanguageModel {
    const refusal = modelRefusal(configured, ref)
    if (refusal) throw new AppError('invalid_request', refusal)
    const created = modelOf(ref, { endpoints, exchange: exchange(ref.provider) })
    if (created) return created
    throw new AppError('invalid_request', `asking ${ref.model}: it ${needsEndpoint(ref.provider)}`)
  }

  return {
    configured,
    endpoints,
    exchange,
    find(ref, meter = unlimitedMeter) {
      const key = `${ref.provider} ${ref.model}`
      const model = models.get(key) ?? create(ref)
      models.set(key, model)
      return cachedModel(meteredModel(model, meter), answers)
    },
  }
}

function modelOf(
  { provider, model }: ModelRef,
  connection: { endpoints: Endpoints; exchange: Exchange },
): LanguageModel | null {
  switch (provider) {
    case 'anthropic':
      return anthropicModel(model, connection)
    case 'bedrock':
      return bedrockModel(model, connection)
    default:
      return openaiModel({ provider, model }, connection)
  }
}

const unreachable: Fetch = async () => {
  throw new AppError('egress_refused', 'no model endpoint can be reached here')
}
