import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { LanguageModel, ModelRequest } from './model.ts'

/**
 * Answers by what was asked. A model seldom says the same twice: kept, an answer stays the same in the next run and in
 * a slice that is done again, and is paid for once.
 */
export interface AnswerCache {
  get(key: string): Promise<string | null>
  put(key: string, answer: string): Promise<void>
}

export function rememberingModel(model: LanguageModel, cache: AnswerCache): LanguageModel {
  const { name, identity = name } = model
  return {
    ...{ name, identity },
    async ask(question, signal) {
      const key = answerKey(identity, question)
      const known = await cache.get(key)
      // What was kept before anybody looked at it may be of no use.
      if (known !== null && question.accepts?.(known) !== false) return known
      const answer = await model.ask(question, signal)
      if (answer !== '' && question.accepts?.(answer) !== false) await cache.put(key, answer)
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
    // Two bytes for a character at most, 200 for the key and the entry around it.
    sizeCalculation: (answer) => answer.length * 2 + 200,
  })
  return {
    get: async (key) => answers.get(key) ?? null,
    put: async (key, answer) => {
      answers.set(key, answer)
    },
  }
}
