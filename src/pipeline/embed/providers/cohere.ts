import type { Endpoints } from '../../models/endpoints.ts'
import type { Exchange } from '../../models/exchange.ts'
import { knownModel } from '../known-models.ts'
import type { VectorSource } from '../remote.ts'
import type { EmbeddingRequest } from './openai.ts'

export function cohereVectors(
  { model, dimensions }: EmbeddingRequest,
  { endpoints, exchange }: { endpoints: Endpoints; exchange: Exchange },
): VectorSource | null {
  const endpoint = endpoints.cohere
  const known = knownModel('cohere', model)
  if (!endpoint || !known) return null
  const dims = dimensions ?? known.dims
  const name = `${model} of cohere`
  return {
    name,
    identity: JSON.stringify(['cohere', endpoint.baseUrl, model, dims]),
    dims,
    batch: { texts: 96, characters: 400_000 },
    characters: known.characters,
    hasModes: true,
    async embed(texts, mode, signal) {
      return exchange.ask(
        `embedding with ${name}`,
        async (fetch) => {
          const { CohereClientV2 } = await import('cohere-ai')
          const client = new CohereClientV2({
            token: endpoint.apiKey ?? 'none',
            baseUrl: endpoint.baseUrl,
            maxRetries: 0,
            timeoutInSeconds: 3600,
            fetch,
          })
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
        signal,
      )
    },
  }
}
