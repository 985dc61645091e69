/** Embedding providers, named like the subtypes of an embed node. */
export const EMBEDDING_PROVIDERS = [
  'openai',
  'azure_openai',
  'bedrock',
  'togetherai',
  'voyageai',
  'cohere',
] as const
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number]

export type KnownModel = {
  dims: number
  /** Input limit, at about 3.5 characters per token. */
  characters: number
  /** The shorter dimensions that the model supports. */
  shortens?: 'any' | number[]
}

const OPENAI: Record<string, KnownModel> = {
  'text-embedding-3-small': { dims: 1536, characters: 28_672, shortens: 'any' },
  'text-embedding-3-large': { dims: 3072, characters: 28_672, shortens: 'any' },
  'text-embedding-ada-002': { dims: 1536, characters: 28_672 },
}

/** Models often served from private endpoints, so that nodes need not set their dimension. */
const SELF_HOSTED: Record<string, KnownModel> = {
  'nomic-embed-text': { dims: 768, characters: 7168 },
  'mxbai-embed-large': { dims: 1024, characters: 1792 },
  'bge-m3': { dims: 1024, characters: 28_672 },
  'all-minilm': { dims: 384, characters: 1000 },
  'sentence-transformers/all-MiniLM-L6-v2': { dims: 384, characters: 1000 },
  'BAAI/bge-small-en-v1.5': { dims: 384, characters: 1792 },
  'BAAI/bge-base-en-v1.5': { dims: 768, characters: 1792 },
  'BAAI/bge-large-en-v1.5': { dims: 1024, characters: 1792 },
  'BAAI/bge-m3': { dims: 1024, characters: 28_672 },
  'intfloat/multilingual-e5-large': { dims: 1024, characters: 1792 },
}

const VOYAGE_DIMS = [256, 512, 1024, 2048]

export const KNOWN_MODELS: Record<EmbeddingProvider, Record<string, KnownModel>> = {
  openai: { ...OPENAI, ...SELF_HOSTED },
  azure_openai: OPENAI,
  bedrock: {
    'amazon.titan-embed-text-v2:0': { dims: 1024, characters: 28_672, shortens: [256, 512] },
    'amazon.titan-embed-text-v1': { dims: 1536, characters: 28_672 },
    'amazon.titan-embed-image-v1': { dims: 1024, characters: 896, shortens: [256, 384] },
    'cohere.embed-english-v3': { dims: 1024, characters: 1792 },
    'cohere.embed-multilingual-v3': { dims: 1024, characters: 1792 },
  },
  togetherai: {
    'togethercomputer/m2-bert-80M-32k-retrieval': { dims: 768, characters: 28_672 },
    'BAAI/bge-base-en-v1.5': { dims: 768, characters: 1792 },
    'BAAI/bge-large-en-v1.5': { dims: 1024, characters: 1792 },
    'intfloat/multilingual-e5-large-instruct': { dims: 1024, characters: 1792 },
  },
  voyageai: {
    'voyage-3.5': { dims: 1024, characters: 112_000, shortens: VOYAGE_DIMS },
    'voyage-3.5-lite': { dims: 1024, characters: 112_000, shortens: VOYAGE_DIMS },
    'voyage-3-large': { dims: 1024, characters: 112_000, shortens: VOYAGE_DIMS },
    'voyage-3': { dims: 1024, characters: 112_000 },
    'voyage-3-lite': { dims: 512, characters: 112_000 },
    'voyage-code-3': { dims: 1024, characters: 112_000, shortens: VOYAGE_DIMS },
    'voyage-finance-2': { dims: 1024, characters: 112_000 },
    'voyage-multimodal-3': { dims: 1024, characters: 112_000 },
    'voyage-law-2': { dims: 1024, characters: 56_000 },
    'voyage-code-2': { dims: 1536, characters: 56_000 },
  },
  cohere: {
    'embed-v4.0': { dims: 1536, characters: 448_000, shortens: [256, 512, 1024] },
    'embed-english-v3.0': { dims: 1024, characters: 1792 },
    'embed-multilingual-v3.0': { dims: 1024, characters: 1792 },
    'embed-english-light-v3.0': { dims: 384, characters: 1792 },
    'embed-multilingual-light-v3.0': { dims: 384, characters: 1792 },
  },
}

/** Providers that may serve any model; a node then sets the dimension. */
export const ANY_MODEL_PROVIDERS: readonly EmbeddingProvider[] = ['openai', 'togetherai']

export const DEFAULT_EMBEDDING_MODELS: Record<EmbeddingProvider, string> = {
  openai: 'text-embedding-3-small',
  azure_openai: 'text-embedding-3-small',
  bedrock: 'amazon.titan-embed-text-v2:0',
  togetherai: 'togethercomputer/m2-bert-80M-32k-retrieval',
  voyageai: 'voyage-3.5',
  cohere: 'embed-v4.0',
}

export function isEmbeddingProvider(name: string): name is EmbeddingProvider {
  return (EMBEDDING_PROVIDERS as readonly string[]).includes(name)
}

export function knownModel(provider: EmbeddingProvider, name: string): KnownModel | undefined {
  const models = KNOWN_MODELS[provider]
  return Object.hasOwn(models, name) ? models[name] : undefined
}
