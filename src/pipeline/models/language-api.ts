import type { ModelRequest } from './model.ts'

/** An answer, and why the model stopped; a refusal may have no text. */
type ModelAnswer = { text: string | undefined; stop: string | null | undefined }

/** Asks one model with the client of its provider. */
export type LanguageApi = (
  fetch: typeof globalThis.fetch,
  request: ModelRequest & { maxTokens: number },
) => Promise<ModelAnswer>
