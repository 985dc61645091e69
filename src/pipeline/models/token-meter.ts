import type { LanguageModel } from './model.ts'

/** Counts what one workspace sends to models and gets back. */
export interface TokenMeter {
  /** Called before a request; throws `model_tokens_used_up` if the limit is reached. */
  reserve(tokens: number): Promise<void>
  /** Counts an answer, which is paid for already; negative for a request that failed. */
  add(tokens: number): Promise<void>
}

export const unlimitedMeter: TokenMeter = { reserve: async () => {}, add: async () => {} }

/** Providers charge between 100 and 2,000, depending on the size. */
const TOKENS_PER_IMAGE = 1000
const BYTES_PER_TOKEN = 4

/** An estimate, because it is needed before the request and not every server reports its count. */
export function estimateModelTokens(...texts: string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0)
}

/** Gives the tokens of a failed request back: an endpoint that is away must not use up the day. */
export async function withTokens<T>(meter: TokenMeter, tokens: number, ask: () => Promise<T>): Promise<T> {
  await meter.reserve(tokens)
  try {
    return await ask()
  } catch (error) {
    await meter.add(-tokens)
    throw error
  }
}

export function meteredModel(model: LanguageModel, meter: TokenMeter): LanguageModel {
  return {
    ...model,
    async ask(request, signal) {
      const { system = '', prompt, images = [] } = request
      const tokens = estimateModelTokens(system, prompt) + images.length * TOKENS_PER_IMAGE
      const answer = await withTokens(meter, tokens, () => model.ask(request, signal))
      await meter.add(estimateModelTokens(answer))
      return answer
    },
  }
}
