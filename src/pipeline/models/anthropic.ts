import type { Endpoints } from './endpoints.ts'
import type { Exchange } from './exchange.ts'
import { type LanguageModel, MAX_TOKENS } from './model.ts'
import { refuseUnfinished } from './unfinished.ts'

export function anthropicModel(
  model: string,
  { endpoints, exchange }: { endpoints: Endpoints; exchange: Exchange },
): LanguageModel | null {
  const endpoint = endpoints.anthropic
  if (!endpoint) return null
  const { host } = new URL(endpoint.baseUrl)
  const name = `${model} of anthropic`
  return {
    name,
    identity: `${model} at ${host}`,
    async ask({ system, prompt, images = [], maxTokens = MAX_TOKENS }, signal) {
      const pictures = images.map(({ mime, base64 }) => ({
        type: 'image' as const,
        // The client's type lists the four image types; `pictureOf` allows no other.
        source: { type: 'base64' as const, media_type: mime as 'image/png', data: base64 },
      }))
      const content = [...pictures, { type: 'text' as const, text: prompt }]
      const doing = `asking ${name}`
      return exchange.ask(
        doing,
        async (fetch) => {
          const { Anthropic } = await import('@anthropic-ai/sdk')
          const client = new Anthropic({
            apiKey: endpoint.apiKey ?? 'none',
            authToken: null,
            baseURL: endpoint.baseUrl,
            maxRetries: 0,
            timeout: 3_600_000,
            logLevel: 'off',
            fetch,
          })
          const answer = await client.messages.create({
            model,
            max_tokens: maxTokens,
            ...(system ? { system } : {}),
            messages: [{ role: 'user', content }],
          })
          refuseUnfinished(doing, answer.stop_reason)
          return answer.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
        },
        signal,
      )
    },
  }
}
