import type { ContentBlock } from '@aws-sdk/client-bedrock-runtime'
import { bedrockClient } from './bedrock-client.ts'
import type { BedrockEndpoint } from './endpoints.ts'
import type { LanguageApi } from './language-api.ts'
import type { ModelImage } from './model.ts'

/** Uses Converse, the API that all Bedrock models share. */
export function bedrockApi(model: string, endpoint: BedrockEndpoint): LanguageApi {
  return async (fetch, { system, prompt, images = [], maxTokens }) => {
    const content: ContentBlock[] = [...images.map(pictureBlock), { text: prompt }]
    const { ConverseCommand } = await import('@aws-sdk/client-bedrock-runtime')
    const client = await bedrockClient(endpoint, fetch)
    const answer = await client.send(
      new ConverseCommand({
        modelId: model,
        messages: [{ role: 'user', content }],
        ...(system ? { system: [{ text: system }] } : {}),
        inferenceConfig: { maxTokens },
      }),
    )
    const text = answer.output?.message?.content?.flatMap((part) => part.text ?? []).join('')
    return { text, stop: answer.stopReason }
  }
}

function pictureBlock({ mime, base64 }: ModelImage): ContentBlock {
  const format = mime.slice('image/'.length) as 'png' | 'jpeg' | 'gif' | 'webp'
  return { image: { format, source: { bytes: Buffer.from(base64, 'base64') } } }
}
