import { AppError } from '../../errors.ts'
import type { LanguageModel, ModelImage } from '../models/model.ts'
import { withoutFence } from './enrichment.ts'

const SYSTEM =
  'You write down what stands on a picture of a page as HTML: h1 to h6, p, ul, ol, li, table, thead, tbody, tr, th, td ' +
  'with colspan and rowspan, pre, and for each figure an img whose alt says what it shows. Every word as it stands ' +
  'there, in reading order, none left out and none made up. Answer with the HTML alone.'

/**
 * A page as HTML; the partitioner keeps words, order and types. An empty answer means an empty page.
 */
export async function pageFromPicture(
  picture: ModelImage,
  model: LanguageModel,
  signal: AbortSignal,
): Promise<string> {
  const asked = { system: SYSTEM, prompt: 'Write down this page.', images: [picture], maxTokens: 8000 }
  const answer = await model.ask({ ...asked, accepts: isHtml }, signal)
  if (answer !== '' && !isHtml(answer)) {
    throw new AppError('model_failed', `reading a page with ${model.name}: the answer is not HTML`)
  }
  return withoutFence(answer)
}

function isHtml(answer: string): boolean {
  return withoutFence(answer).includes('<')
}
