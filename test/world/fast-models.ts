import { isMainThread } from 'node:worker_threads'

/** Loaded before the service: adds two models that run on two or three tokens, so embedding is fast. */
export const FAST_MODELS = ['fast-2', 'fast-3'] as const

export const WITH_FAST_MODELS = { NODE_OPTIONS: `--import=${import.meta.url}` }

if (isMainThread && process.env.NODE_OPTIONS === WITH_FAST_MODELS.NODE_OPTIONS) {
  const { defaultModelName, findModel, models } = await import('../../src/pipeline/embed/model.ts')
  const { LOCAL_MODELS } = await import('../../src/pipeline/node-settings.ts')
  for (const [at, name] of FAST_MODELS.entries()) {
    // Plus the two special tokens around every text.
    models[name] = { ...findModel(defaultModelName), name, maxTokens: at + 2 + 2 }
    LOCAL_MODELS[name] = name
  }
}
