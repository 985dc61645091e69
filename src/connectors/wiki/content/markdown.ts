import { marked } from 'marked'
import { escaped } from './entities.ts'

/** Longer texts are kept as they were typed: their parser is not proved to be linear. */
const LONGEST = 100_000

export function markdownHtml(markdown: string): string {
  const asTyped = `<pre>${escaped(markdown)}</pre>`
  if (markdown.length > LONGEST) return asTyped
  try {
    return marked.parse(markdown, { async: false })
  } catch (error) {
    // Nested too deep for the parser.
    if (error instanceof RangeError) return asTyped
    throw error
  }
}
