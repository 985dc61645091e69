import { partitionHtml } from '../partition/html.ts'
import { type Enrichment, pictureOf, withoutCodeFence } from './enrichment.ts'

const SYSTEM =
  'You write down tables as HTML: table, thead, tbody, tr, th and td with colspan and rowspan, and nothing else. Every ' +
  'cell with exactly the words and numbers that it has, none left out and none made up. Answer with the table alone.'
const MAX_TABLE_LENGTH = 60_000

/** Adds missing rows and cells, for example of a scan. Partitioning the answer drops its other markup. */
export const tableEnrichment: Enrichment = {
  what: 'the rows and cells of a table',
  request(element, prompt) {
    if (element.type !== 'Table') return null
    const picture = pictureOf(element)
    const images = picture !== null && typeof picture !== 'string' ? { images: [picture] } : null
    if (!images && element.metadata.text_as_html !== undefined) return null
    const userPrompt = `${prompt ?? 'Write down this table. This is what was recognised of it:'}\n\n${element.text.slice(0, MAX_TABLE_LENGTH)}`
    return {
      system: SYSTEM,
      prompt: userPrompt,
      ...images,
      maxTokens: 8000,
      accepts: (answer) => readTable(answer) !== null,
    }
  },
  apply(element, answer) {
    const html = readTable(answer)
    return html === null ? null : { ...element, metadata: { ...element.metadata, text_as_html: html } }
  },
}

function readTable(answer: string): string | null {
  const html = withoutCodeFence(answer)
  if (!/<table[\s>]/i.test(html)) return null
  const page = { html, title: '', filename: 'a table', filetype: 'text/html' }
  const table = partitionHtml(page).find(({ type }) => type === 'Table')
  return table?.metadata.text_as_html ?? null
}
