import { bedrockClient } from '../../models/bedrock-client.ts'
import type { BedrockEndpoint } from '../../models/endpoints.ts'
import type { KnownModel } from '../known-models.ts'
import type { ProviderApi } from '../provider-api.ts'
import type { EmbeddingMode } from '../remote.ts'

export function bedrockVectors(
  endpoint: BedrockEndpoint,
  { model, dims, known }: { model: string; dims: number; known: KnownModel },
): ProviderApi {
  const isCohere = model.startsWith('cohere.')
  return {
    model,
    // Titan takes one text per request.
    batch: isCohere ? { texts: 96, characters: 200_000 } : { texts: 1, characters: 50_000 },
    // Bedrock limits Cohere models to 2,048 characters, regardless of tokens.
    characters: isCohere ? 2048 : known.characters,
    hasModes: isCohere,
    async embed(fetch, texts, mode) {
      const body = isCohere ? cohereBody(texts, mode) : titanBody(model, texts[0] ?? '', dims)
      const { InvokeModelCommand } = await import('@aws-sdk/client-bedrock-runtime')
      const client = await bedrockClient(endpoint, fetch)
      const command = { modelId: model, contentType: 'application/json', accept: 'application/json' }
      const output = await client.send(new InvokeModelCommand({ ...command, body: JSON.stringify(body) }))
      const response = JSON.parse(new TextDecoder().decode(output.body)) as EmbeddingResponse
      return response.embedding ? [response.embedding] : (response.embeddings ?? [])
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
