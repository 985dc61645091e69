import type { KnownModel } from './known-models.ts'
import type { EmbeddingMode, VectorSource } from './remote.ts'

/** What an embed node wants of a provider; `known` is absent for models of private servers. */
export type ProviderRequest = { model: string; deployment: string; dims: number; known?: KnownModel }

/** The API of one provider, for one model. */
export type ProviderApi = Pick<VectorSource, 'batch' | 'characters' | 'hasModes'> & {
  /** The model or deployment that requests name. */
  model: string
  embed(fetch: typeof globalThis.fetch, texts: string[], mode: EmbeddingMode): Promise<ArrayLike<number>[]>
}
