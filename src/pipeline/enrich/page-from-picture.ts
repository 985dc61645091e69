import { AppError } from '../../errors.ts'
import type { LanguageModel, ModelImage } from '../models/model.ts'
import { withoutCodeFence } from './enrichment.ts'

const SYSTEM =
  'You write down what stands on a picture of a page as HTML: h1 to h6, p, ul, ol, li, table, thead, tbody, tr, th, td ' +
  'with colspan and rowspan, pre, and for each figure an img whose alt says what it shows. Every word as it stands ' +
  'there, in reading order, none left out and none made up. Answer with the HTML alone.'

/**
 * A page of a file, from its picture, as HTML: the partitioner reads words, order and element types from it. An empty
 * answer means an empty page.
 */
export async function pageFromPicture(
  picture: ModelImage,
  model: LanguageModel,
  signal: AbortSignal,
): Promise<string> {
  const request = { system: SYSTEM, prompt: 'Write down this page.', images: [picture], maxTokens: 8000 }
  const answer = await model.ask({ ...request, accepts: isHtml }, signal)
  if (answer !== '' && !isHtml(answer)) {
    throw new AppError(
      'model_failed',
      `reading a picture of a page with ${model.name}: the answer is not HTML`,
    )
  }
  return withoutCodeFence(answer)
}

function isHtml(answer: string): boolean {
  return withoutCodeFence(answer).includes('<')
}
