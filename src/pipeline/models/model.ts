export type ModelImage = { mime: string; base64: string }

/** `system` is the same for many requests; `prompt` varies. */
export type ModelRequest = {
  system?: string
  prompt: string
  images?: ModelImage[]
  maxTokens?: number
  /** Whether an answer is usable; others are not cached. */
  accepts?(answer: string): boolean
}

export interface LanguageModel {
  /** For messages that viewers read, so without the service operator's address: `gpt-4o-mini of openai`. */
  readonly name: string
  /** The cache key of its answers; defaults to the name. */
  readonly identity?: string
  ask(request: ModelRequest, signal: AbortSignal): Promise<string>
}

/** Leaves room for reasoning; the prompts ask for short answers. */
export const MAX_TOKENS = 4000
