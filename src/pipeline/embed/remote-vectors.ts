import { AppError } from '../../errors.ts'
import type { Endpoints } from '../models/endpoints.ts'
import type { Models } from '../models/models.ts'
import { modelRefusal, needsEndpoint } from '../models/providers.ts'
import { type EmbeddingProvider, knownModel } from './known-models.ts'
import type { ProviderApi, ProviderRequest } from './provider-api.ts'
import { bedrockVectors } from './providers/bedrock.ts'
import { cohereVectors } from './providers/cohere.ts'
import { openaiVectors } from './providers/openai.ts'
import { voyageVectors } from './providers/voyage.ts'
import type { VectorSource } from './remote.ts'

export type RemoteEmbed = {
  subtype: EmbeddingProvider
  model: string
  dimensions?: number
  deployment?: string
}

/** The vector source of an embed node with a provider. */
export function remoteVectors(
  { subtype, model, deployment = model, dimensions }: RemoteEmbed,
  { configured, endpoints, exchange }: Models,
  workspace = '',
): VectorSource {
  const refusal = modelRefusal(configured, { provider: subtype, model: deployment })
  if (refusal) throw new AppError('invalid_request', refusal)
  const known = knownModel(subtype, model)
  const dims = dimensions ?? known?.dims
  const request = { model, deployment, ...(known ? { known } : {}) }
  const api = dims ? apiOf(subtype, { ...request, dims }, endpoints) : null
  const baseUrl = endpoints[subtype]?.baseUrl
  if (!api || !dims)
    throw new AppError('invalid_request', `the embedder ${subtype} ${needsEndpoint(subtype)}`)
  const name = `${model} of ${subtype}`
  return {
    ...api,
    name,
    identity: JSON.stringify([subtype, baseUrl, api.model, dims]),
    dims,
    embed: (texts, mode, signal) =>
      exchange(subtype, workspace).ask(
        `embedding with ${name}`,
        (fetch) => api.embed(fetch, texts, mode),
        signal,
      ),
  }
}

function apiOf(
  subtype: EmbeddingProvider,
  request: ProviderRequest,
  endpoints: Endpoints,
): ProviderApi | null {
  const { model, dims, known } = request
  if (subtype === 'openai' || subtype === 'azure_openai' || subtype === 'togetherai') {
    const endpoint = endpoints[subtype]
    return endpoint ? openaiVectors(subtype, request, endpoint) : null
  }
  if (!known) return null
  const { bedrock, cohere, voyageai } = endpoints
  if (subtype === 'bedrock') return bedrock ? bedrockVectors(bedrock, { model, dims, known }) : null
  if (subtype === 'cohere') return cohere ? cohereVectors(cohere, { model, dims, known }) : null
  return voyageai ? voyageVectors(voyageai, { model, dims, known }) : null
}
