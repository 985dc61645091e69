import { AppError } from '../../errors.ts'
import type { Models } from '../models/models.ts'
import { modelRefusal, needsEndpoint } from '../models/providers.ts'
import type { EmbeddingProvider } from './known-models.ts'
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
  { subtype, dimensions, ...rest }: RemoteEmbed,
  models: Models,
  workspace = '',
): VectorSource {
  const refusal = modelRefusal(models.configured, {
    provider: subtype,
    model: rest.deployment ?? rest.model,
  })
  if (refusal) throw new AppError('invalid_request', refusal)
  const request = { ...rest, dimensions: dimensions ?? null }
  const connection = { endpoints: models.endpoints, exchange: models.exchange(subtype, workspace) }
  const source = sourceOf()
  if (source) return source
  throw new AppError('invalid_request', `the embedder ${subtype} ${needsEndpoint(subtype)}`)

  function sourceOf(): VectorSource | null {
    switch (subtype) {
      case 'bedrock':
        return bedrockVectors(request, connection)
      case 'cohere':
        return cohereVectors(request, connection)
      case 'voyageai':
        return voyageVectors(request, connection)
      default:
        return openaiVectors(subtype, request, connection)
    }
  }
}
