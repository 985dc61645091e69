import { bedrockClient } from '../../models/bedrock-client.ts'
import type { Endpoints } from '../../models/endpoints.ts'
import type { Exchange } from '../../models/exchange.ts'
import { knownModel } from '../known-models.ts'
import type { EmbeddingMode, VectorSource } from '../remote.ts'
import type { EmbeddingRequest } from './openai.ts'

export function bedrockVectors(
  { model, dimensions }: EmbeddingRequest,
  { endpoints, exchange }: { endpoints: Endpoints; exchange: Exchange },
): VectorSource | null {
  const endpoint = endpoints.bedrock
  const known = knownModel('bedrock', model)
  if (!endpoint || !known) return null
  const dims = dimensions ?? known.dims
  const isCohere = model.startsWith('cohere.')
  const name = `${model} of bedrock`
  return {
    name,
    identity: JSON.stringify(['bedrock', endpoint.baseUrl, model, dims]),
    dims,
    // Titan takes one text per request.
    batch: isCohere ? { texts: 96, characters: 200_000 } : { texts: 1, characters: 50_000 },
    // Bedrock limits Cohere models to 2,048 characters, regardless of tokens.
    characters: isCohere ? 2048 : known.characters,
    hasModes: isCohere,
    async embed(texts, mode, signal) {
      const body = isCohere ? cohereBody(texts, mode) : titanBody(model, texts[0] ?? '', dims)
      return exchange.ask(
        `embedding with ${name}`,
        async (fetch) => {
          const { InvokeModelCommand } = await import('@aws-sdk/client-bedrock-runtime')
          const client = await bedrockClient(endpoint, fetch)
          const command = { modelId: model, contentType: 'application/json', accept: 'application/json' }
          const output = await client.send(new InvokeModelCommand({ ...command, body: JSON.stringify(body) }))
          const response = JSON.parse(new TextDecoder().decode(output.body)) as EmbeddingResponse
          return response.embedding ? [response.embedding] : (response.embeddings ?? [])
        },
        signal,
      )
    },
  }
}

type EmbeddingResponse = { embedding?: number[]; embeddings?: number[][] }

function cohereBody(texts: string[], mode: EmbeddingMode): object {
  return { texts, input_type: mode === 'query' ? 'search_query' : 'search_document', truncate: 'END' }
}

function titanBody(model: string, inputText: string, dims: number): object {
  if (model.includes('embed-text-v2')) return { inputText, dimensions: dims, normalize: true }
  if (model.includes('embed-image')) {
    return { inputText, embeddingConfig: { outputEmbeddingLength: dims } }
  }
  return { inputText }
}
