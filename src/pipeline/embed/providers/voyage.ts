import type { Endpoints } from '../../models/endpoints.ts'
import type { Exchange } from '../../models/exchange.ts'
import { knownModel } from '../known-models.ts'
import type { VectorSource } from '../remote.ts'
import type { EmbeddingRequest } from './openai.ts'

export function voyageVectors(
  { model, dimensions }: EmbeddingRequest,
  { endpoints, exchange }: { endpoints: Endpoints; exchange: Exchange },
): VectorSource | null {
  const endpoint = endpoints.voyageai
  const known = knownModel('voyageai', model)
  if (!endpoint || !known) return null
  const dims = dimensions ?? known.dims
  const name = `${model} of voyageai`
  return {
    name,
    identity: JSON.stringify(['voyageai', endpoint.baseUrl, model, dims]),
    dims,
    // The smallest limits of its models: 128 texts and 120,000 tokens.
    batch: { texts: 128, characters: 120_000 },
    characters: known.characters,
    hasModes: true,
    async embed(input, inputType, signal) {
      return exchange.ask(
        `embedding with ${name}`,
        async (fetch) => {
          const { VoyageAIClient } = await import('voyageai')
          const client = new VoyageAIClient({
            apiKey: endpoint.apiKey ?? 'none',
            baseUrl: endpoint.baseUrl,
            maxRetries: 0,
            timeoutInSeconds: 3600,
            fetch,
          })
          if (model.startsWith('voyage-multimodal')) {
            const inputs = input.map((text) => ({ content: [{ type: 'text' as const, text }] }))
            return inOrder(await client.multimodalEmbed({ model, inputs, inputType, truncation: true }))
          }
          const shorter = dims === known.dims ? {} : { outputDimension: dims }
          return inOrder(await client.embed({ model, input, inputType, truncation: true, ...shorter }))
        },
        signal,
      )
    },
  }
}

type EmbeddingResponse = { data?: { index?: number; embedding?: number[] }[] }

function inOrder({ data = [] }: EmbeddingResponse): number[][] {
  return data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)).map(({ embedding }) => embedding ?? [])
}
