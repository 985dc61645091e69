import type { ContentBlock } from '@aws-sdk/client-bedrock-runtime'
import { bedrockClient } from './bedrock-client.ts'
import type { Endpoints } from './endpoints.ts'
import type { Exchange } from './exchange.ts'
import { type LanguageModel, MAX_TOKENS, type ModelImage } from './model.ts'
import { refuseUnfinished } from './unfinished.ts'

/** Uses Converse, the API that all Bedrock models share. */
export function bedrockModel(
  model: string,
  { endpoints, exchange }: { endpoints: Endpoints; exchange: Exchange },
): LanguageModel | null {
  const endpoint = endpoints.bedrock
  if (!endpoint) return null
  const { host } = new URL(endpoint.baseUrl)
  const name = `${model} of bedrock`
  return {
    name,
    identity: `${model} at ${host}`,
    async ask({ system, prompt, images = [], maxTokens = MAX_TOKENS }, signal) {
      const content: ContentBlock[] = [...images.map(pictureBlock), { text: prompt }]
      const doing = `asking ${name}`
      return exchange.ask(
        doing,
        async (fetch) => {
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
          refuseUnfinished(doing, answer.stopReason)
          return answer.output!.message!.content!.flatMap(({ text }) => text ?? []).join('')
        },
        signal,
      )
    },
  }
}

function pictureBlock({ mime, base64 }: ModelImage): ContentBlock {
  const format = mime.slice('image/'.length) as 'png' | 'jpeg' | 'gif' | 'webp'
  return { image: { format, source: { bytes: Buffer.from(base64, 'base64') } } }
}
