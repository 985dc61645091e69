import type { Endpoint } from './endpoints.ts'
import type { LanguageApi } from './language-api.ts'

export function anthropicApi(model: string, { apiKey, baseUrl }: Endpoint): LanguageApi {
  return async (fetch, { system, prompt, images = [], maxTokens }) => {
    const pictures = images.map(({ mime, base64 }) => ({
      type: 'image' as const,
      // The client's type lists the four image types; `pictureOf` allows no other.
      source: { type: 'base64' as const, media_type: mime as 'image/png', data: base64 },
    }))
    const content = [...pictures, { type: 'text' as const, text: prompt }]
    const { Anthropic } = await import('@anthropic-ai/sdk')
    const client = new Anthropic({
      apiKey: apiKey ?? 'none',
      authToken: null,
      baseURL: baseUrl,
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
    const texts = answer.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    return { text: texts.join(''), stop: answer.stop_reason }
  }
}
