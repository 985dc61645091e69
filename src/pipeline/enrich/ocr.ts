import { type Enrichment, pictureOf, plainAnswer } from './enrichment.ts'

const NOTHING = 'NO TEXT'
const SYSTEM =
  'You read out pictures of text. Answer with the words as they stand there, line by line, in their language, none ' +
  `left out and none made up. No markup, no introduction. Where there are none, answer ${NOTHING}.`

/** Replaces a picture's text with what the model reads in it. */
export const ocr: Enrichment = {
  what: 'the words in a picture',
  request(element, prompt) {
    const picture = pictureOf(element)
    if (picture === null || typeof picture === 'string') return picture
    return { system: SYSTEM, prompt: prompt ?? 'Read out this picture.', images: [picture], maxTokens: 4000 }
  },
  apply(element, answer) {
    const text = plainAnswer(answer)
    if (text === '') return null
    return text === NOTHING ? element : { ...element, text }
  },
}
