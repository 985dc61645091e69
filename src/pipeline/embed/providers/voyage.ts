import type { Endpoint } from '../../models/endpoints.ts'
import type { KnownModel } from '../known-models.ts'
import type { ProviderApi } from '../provider-api.ts'

export function voyageVectors(
  { apiKey, baseUrl }: Endpoint,
  { model, dims, known }: { model: string; dims: number; known: KnownModel },
): ProviderApi {
  return {
    model,
    // The smallest limits of its models: 128 texts and 120,000 tokens.
    batch: { texts: 128, characters: 120_000 },
    characters: known.characters,
    hasModes: true,
    async embed(fetch, input, inputType) {
      const { VoyageAIClient } = await import('voyageai')
      const options = { apiKey: apiKey ?? 'none', baseUrl, maxRetries: 0, timeoutInSeconds: 3600, fetch }
      const client = new VoyageAIClient(options)
      if (model.startsWith('voyage-multimodal')) {
        const inputs = input.map((text) => ({ content: [{ type: 'text' as const, text }] }))
        return inOrder(await client.multimodalEmbed({ model, inputs, inputType, truncation: true }))
      }
      const shorter = dims === known.dims ? {} : { outputDimension: dims }
      return inOrder(await client.embed({ model, input, inputType, truncation: true, ...shorter }))
    },
  }
}

type EmbeddingResponse = { data?: { index?: number; embedding?: number[] }[] }

function inOrder({ data = [] }: EmbeddingResponse): number[][] {
  return data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)).map(({ embedding }) => embedding ?? [])
}
