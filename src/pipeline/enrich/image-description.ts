import { type Enrichment, pictureOf, plainAnswer } from './enrichment.ts'

const SYSTEM =
  'You describe pictures out of documents, so that people find them by searching. Say what kind of picture it is, ' +
  'what it shows, and every name, label and number in it that somebody may look for. Plain sentences, no markup, no ' +
  'introduction, at most 100 words, in the language of the words in the picture or of its caption.'

/** Adds what a picture shows to its text, below the caption. */
export const imageDescription: Enrichment = {
  what: 'the description of an image',
  request(element, prompt) {
    if (element.type !== 'Image') return null
    const picture = pictureOf(element)
    if (picture === null) return 'the picture was not read; let the source extract images'
    if (typeof picture === 'string') return picture
    const caption = element.text === '' ? '' : ` Its caption is: ${element.text.slice(0, 1000)}`
    return { system: SYSTEM, prompt: prompt ?? `Describe this picture.${caption}`, images: [picture] }
  },
  apply(element, answer) {
    const text = plainAnswer(answer)
    if (text === '') return null
    return { ...element, text: element.text === '' ? text : `${element.text}\n${text}` }
  },
}
