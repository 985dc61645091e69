import type { Endpoint } from '../../models/endpoints.ts'
import type { KnownModel } from '../known-models.ts'
import type { ProviderApi } from '../provider-api.ts'

export function cohereVectors(
  { apiKey, baseUrl }: Endpoint,
  { model, dims, known }: { model: string; dims: number; known: KnownModel },
): ProviderApi {
  return {
    model,
    batch: { texts: 96, characters: 400_000 },
    characters: known.characters,
    hasModes: true,
    async embed(fetch, texts, mode) {
      const { CohereClientV2 } = await import('cohere-ai')
      const token = apiKey ?? 'none'
      const client = new CohereClientV2({ token, baseUrl, maxRetries: 0, timeoutInSeconds: 3600, fetch })
      const { embeddings } = await client.embed({
        model,
        texts,
        inputType: mode === 'query' ? 'search_query' : 'search_document',
        embeddingTypes: ['float'],
        truncate: 'END',
        ...(dims === known.dims ? {} : { outputDimension: dims }),
      })
      return embeddings.float ?? []
    },
  }
}
