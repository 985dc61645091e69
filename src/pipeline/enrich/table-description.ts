import { type Enrichment, pictureOf, plainAnswer } from './enrichment.ts'

const SYSTEM =
  'You describe tables out of documents, so that people find them by searching. Say what the table is about, what its ' +
  'rows and columns are, and the names and numbers that matter most. Plain sentences, no markup, no introduction, at ' +
  'most 100 words, in the language of the table.'
const MAX_TABLE_LENGTH = 60_000

/**
 * Replaces a table's text with a description. The table remains in `text_as_html`, or below the description.
 */
export const tableDescription: Enrichment = {
  what: 'the description of a table',
  request(element, prompt) {
    if (element.type !== 'Table') return null
    const picture = pictureOf(element)
    const table = (element.metadata.text_as_html ?? element.text).slice(0, MAX_TABLE_LENGTH)
    const userPrompt = `${prompt ?? 'Describe this table.'}\n\n${table}`
    return picture === null || typeof picture === 'string'
      ? { system: SYSTEM, prompt: userPrompt }
      : { system: SYSTEM, prompt: userPrompt, images: [picture] }
  },
  apply(element, answer) {
    // One line, because each line of a table's text is a row.
    const text = plainAnswer(answer).replaceAll(/\s+/g, ' ')
    if (text === '') return null
    const original = element.metadata.text_as_html === undefined ? `\n\n${element.text}` : ''
    return { ...element, text: `${text}${original}` }
  },
}
