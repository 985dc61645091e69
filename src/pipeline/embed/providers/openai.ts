import type { Endpoints } from '../../models/endpoints.ts'
import type { Exchange } from '../../models/exchange.ts'
import { type OpenAICompatible, openaiClient } from '../../models/openai-client.ts'
import { knownModel } from '../known-models.ts'
import type { VectorSource } from '../remote.ts'

export type EmbeddingRequest = { model: string; dimensions: number | null; deployment?: string }

/** OpenAI, Azure, Together and compatible servers: vLLM, Ollama, text-embeddings-inference. */
export function openaiVectors(
  provider: OpenAICompatible,
  { model, dimensions, deployment = model }: EmbeddingRequest,
  { endpoints, exchange }: { endpoints: Endpoints; exchange: Exchange },
): VectorSource | null {
  const client = openaiClient(provider, endpoints)
  const known = knownModel(provider, model)
  const dims = dimensions ?? known?.dims
  if (!client || !dims) return null
  const isOpenAI = new URL(client.endpoint.baseUrl).hostname === 'api.openai.com'
  // A model that cannot shorten vectors rejects the parameter; unknown models are only checked.
  const shorter = known?.shortens && dims !== known.dims ? { dimensions: dims } : {}
  const name = `${model} of ${provider}`
  return {
    name,
    identity: JSON.stringify([provider, client.endpoint.baseUrl, deployment, dims]),
    dims,
    // OpenAI takes 2,048 texts and 300,000 tokens, text-embeddings-inference 32 texts by default.
    batch: { texts: isOpenAI || provider === 'azure_openai' ? 2048 : 32, characters: 250_000 },
    characters: known?.characters ?? 100_000,
    hasModes: false,
    async embed(input, _mode, signal) {
      const body = { model: deployment, input, encoding_format: 'base64' as const, ...shorter }
      return exchange.ask(
        `embedding with ${name}`,
        async (fetch) => {
          const { data } = await (await client.connect(fetch)).embeddings.create(body)
          return data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => decode(embedding))
        },
        signal,
      )
    },
  }
}

/** Base64 is a quarter of the size; servers without it respond with numbers. */
function decode(embedding: number[] | string): ArrayLike<number> {
  if (typeof embedding !== 'string') return embedding
  const bytes = Buffer.from(embedding, 'base64')
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readFloatLE(i * 4))
}
