import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { LanguageModel, ModelRequest } from './model.ts'

/** Model answers by request. Models rarely give the same answer twice; the cache makes later runs stable and free. */
export interface AnswerCache {
  get(key: string): Promise<string | null>
  put(key: string, answer: string): Promise<void>
}

export function cachedModel(model: LanguageModel, cache: AnswerCache): LanguageModel {
  const { name, identity = name } = model
  return {
    name,
    identity,
    async ask(request, signal) {
      const key = answerKey(identity, request)
      const cached = await cache.get(key)
      if (cached !== null) return cached
      const answer = await model.ask(request, signal)
      if (answer !== '' && request.accepts?.(answer) !== false) await cache.put(key, answer)
      return answer
    },
  }
}

function answerKey(
  identity: string,
  { system = '', prompt, images = [], maxTokens = 0 }: ModelRequest,
): string {
  const pictures = images.map(({ mime, base64 }) => `${mime} ${hash('sha256', base64)}`)
  return hash('sha256', JSON.stringify([identity, system, prompt, pictures, maxTokens]))
}

export function memoryAnswers({ maxBytes }: { maxBytes: number }): AnswerCache {
  const answers = new LRUCache<string, string>({
    maxSize: maxBytes,
    // At most two bytes per character, 200 for key and entry.
    sizeCalculation: (answer) => answer.length * 2 + 200,
  })
  return {
    get: async (key) => answers.get(key) ?? null,
    put: async (key, answer) => {
      answers.set(key, answer)
    },
  }
}
