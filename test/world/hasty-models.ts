import { isMainThread } from 'node:worker_threads'

/**
 * Loaded before the service (`--import`), this gives it two more models of the width of the one it comes with. They are
 * the same network, which reads the first two or three tokens alone: quick, and of most texts they make different vectors.
 */
export const HASTY_MODELS = ['hasty-2', 'hasty-3'] as const

export const WITH_HASTY_MODELS = { NODE_OPTIONS: `--import=${import.meta.url}` }

if (isMainThread && process.env.NODE_OPTIONS === WITH_HASTY_MODELS.NODE_OPTIONS) {
  const { defaultModelName, findModel, models } = await import('../../src/pipeline/embed/model.ts')
  const { LOCAL_MODELS } = await import('../../src/pipeline/node-settings.ts')
  for (const [at, name] of HASTY_MODELS.entries()) {
    // Two more are the tokens that stand around every text.
    models[name] = { ...findModel(defaultModelName), name, maxTokens: at + 2 + 2 }
    LOCAL_MODELS[name] = name
  }
}
