import type { Endpoints } from './endpoints.ts'
import type { Exchange } from './exchange.ts'
import { type LanguageModel, MAX_TOKENS } from './model.ts'
import { openaiClient } from './openai-client.ts'
import { refuseUnfinished } from './unfinished.ts'

/** OpenAI, Azure and compatible servers. */
export function openaiModel(
  { provider, model }: { provider: 'openai' | 'azure_openai'; model: string },
  { endpoints, exchange }: { endpoints: Endpoints; exchange: Exchange },
): LanguageModel | null {
  const client = openaiClient(provider, endpoints)
  if (!client) return null
  // Newer OpenAI models reject `max_tokens`; private servers may not know `max_completion_tokens`.
  const isOpenAI = provider === 'azure_openai' || client.host === 'api.openai.com'
  const name = `${model} of ${provider}`
  return {
    name,
    identity: `${model} at ${client.host}`,
    async ask({ system, prompt, images = [], maxTokens = MAX_TOKENS }, signal) {
      const limit = isOpenAI ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }
      const pictures = images.map(({ mime, base64 }) => ({
        type: 'image_url' as const,
        image_url: { url: `data:${mime};base64,${base64}` },
      }))
      const content = pictures.length > 0 ? [{ type: 'text' as const, text: prompt }, ...pictures] : prompt
      const instruction = system ? [{ role: 'system' as const, content: system }] : []
      const body = { model, messages: [...instruction, { role: 'user' as const, content }], ...limit }
      const doing = `asking ${name}`
      return exchange.ask(
        doing,
        async (fetch) => {
          const { choices } = await (await client.connect(fetch)).chat.completions.create(body)
          const { message, finish_reason } = choices[0]!
          refuseUnfinished(doing, message.refusal ? 'refusal' : finish_reason)
          return message.content ?? ''
        },
        signal,
      )
    },
  }
}
