import type { Endpoint } from './endpoints.ts'
import type { LanguageApi } from './language-api.ts'
import { openaiClient } from './openai-client.ts'

/** OpenAI, Azure and compatible servers. */
export function openaiApi(model: string, endpoint: Endpoint & { apiVersion?: string }): LanguageApi {
  const { host } = new URL(endpoint.baseUrl)
  // Newer OpenAI models reject `max_tokens`; private servers may not know `max_completion_tokens`.
  const isOpenAI = endpoint.apiVersion !== undefined || host === 'api.openai.com'
  return async (fetch, { system, prompt, images = [], maxTokens }) => {
    const limit = isOpenAI ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }
    const pictures = images.map(({ mime, base64 }) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${mime};base64,${base64}` },
    }))
    const content = pictures.length > 0 ? [{ type: 'text' as const, text: prompt }, ...pictures] : prompt
    const instruction = system ? [{ role: 'system' as const, content: system }] : []
    const messages = [...instruction, { role: 'user' as const, content }]
    const client = await openaiClient(endpoint, fetch)
    const { choices } = await client.chat.completions.create({ model, messages, ...limit })
    const { message, finish_reason } = choices[0]!
    return { text: message.content ?? '', stop: message.refusal ? 'refusal' : finish_reason }
  }
}
