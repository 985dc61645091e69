export type ModelImage = { mime: string; base64: string }

/** `system` says what is wanted of every one of many; what changes from one to the next is in `prompt`. */
export type ModelRequest = {
  system?: string
  prompt: string
  images?: ModelImage[]
  maxTokens?: number
  /** Another answer is of no use, and not worth remembering. */
  accepts?(answer: string): boolean
}

/** Answers questions in words. */
export interface LanguageModel {
  /** For messages, which viewers of a workspace read: `gpt-4o-mini of openai`, and no address of the operator's. */
  readonly name: string
  /** What its answers are kept by, where its name does not say all. */
  readonly identity?: string
  ask(question: ModelRequest, signal: AbortSignal): Promise<string>
}

/** Room for models that think aloud before they answer; the answer itself is asked to be short. */
export const MOST_TOKENS = 4000
