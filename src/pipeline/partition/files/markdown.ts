import { decodeText } from '../decode.ts'
import { refuseBinary } from '../readable.ts'
import { blocksOf } from './paged.ts'
import type { ReadFile } from './reading-file.ts'

/** GitHub-flavoured Markdown. */
export const readMarkdown: ReadFile = async (file) => {
  const { marked } = await import('marked')
  const text = decodeText(file.bytes, file.filetype)
  refuseBinary(text, file.filename)
  // Drops front matter.
  const body = text.replace(/^\ufeff?---\r?\n[\s\S]{0,20000}?\r?\n---[ \t]*\r?\n/, '')
  const html = await marked.parse(body, { gfm: true, async: true })
  return { blocks: blocksOf([{ html }], file), warnings: [] }
}
