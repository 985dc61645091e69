import { isMainThread } from 'node:worker_threads'

/** Loaded before the service: the default model runs on two tokens, so that embedding is fast. */
export const WITH_FAST_EMBEDDING = { NODE_OPTIONS: `--import=${import.meta.url}` }

if (isMainThread && process.env.NODE_OPTIONS === WITH_FAST_EMBEDDING.NODE_OPTIONS) {
  const { defaultModelName, findModel, models } = await import('../../src/pipeline/embed/model.ts')
  // Plus the two special tokens around every text.
  models[defaultModelName] = { ...findModel(defaultModelName), maxTokens: 4 }
}
