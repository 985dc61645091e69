import type { Endpoints } from '../../models/endpoints.ts'
import { type OpenAICompatible, openaiClient } from '../../models/openai-client.ts'
import type { ProviderApi, ProviderRequest } from '../provider-api.ts'

/** OpenAI, Azure, Together and compatible servers: vLLM, Ollama, text-embeddings-inference. */
export function openaiVectors(
  provider: OpenAICompatible,
  { deployment, dims, known }: ProviderRequest,
  endpoint: NonNullable<Endpoints[OpenAICompatible]>,
): ProviderApi {
  const isOpenAI = new URL(endpoint.baseUrl).hostname === 'api.openai.com'
  // A model that cannot shorten vectors rejects the parameter; unknown models are only checked.
  const shorter = known?.shortens && dims !== known.dims ? { dimensions: dims } : {}
  return {
    model: deployment,
    // OpenAI takes 2,048 texts and 300,000 tokens, text-embeddings-inference 32 texts by default.
    batch: { texts: isOpenAI || provider === 'azure_openai' ? 2048 : 32, characters: 250_000 },
    characters: known?.characters ?? 100_000,
    hasModes: false,
    async embed(fetch, input) {
      const body = { model: deployment, input, encoding_format: 'base64' as const, ...shorter }
      const { data } = await (await openaiClient(endpoint, fetch)).embeddings.create(body)
      return data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => decode(embedding))
    },
  }
}

/** Base64 is a quarter of the size; servers without it respond with numbers. */
function decode(embedding: number[] | string): ArrayLike<number> {
  if (typeof embedding !== 'string') return embedding
  const bytes = Buffer.from(embedding, 'base64')
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readFloatLE(i * 4))
}
