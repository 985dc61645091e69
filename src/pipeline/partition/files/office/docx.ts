import { AppError } from '../../../../errors.ts'
import { packArchive, unpack } from '../archive.ts'
import { blocksOf, type HtmlPart } from '../paged.ts'
import type { ReadFile } from '../reading-file.ts'
import { rewrite, withoutHiddenText } from './hidden.ts'

/** A Word document: styles mark headings, page breaks mark pages. */
export const readDocx: ReadFile = async (file) => {
  const { default: mammoth } = await import('mammoth')
  const parts = unpack(file, (name) => !/(^|\/)(media|embeddings|fonts)\//.test(name))
  for (const name of [DOCUMENT, 'word/footnotes.xml', 'word/endnotes.xml'])
    rewrite(parts, name, withoutHiddenText)
  rewrite(parts, DOCUMENT, withPageBreaks)
  const { value } = await mammoth
    .convertToHtml(
      { buffer: packArchive(parts) },
      {
        styleMap: [
          "br[type='page'] => hr.page",
          "p[style-name='Title'] => h1:fresh",
          "p[style-name='Subtitle'] => h2:fresh",
          "p[style-name='caption'] => figcaption:fresh",
        ],
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        externalFileAccess: false,
      },
    )
    .catch((cause) => {
      throw new AppError('document_broken', `reading ${file.filename}: not a readable document`, {
        cause,
      })
    })
  return { blocks: blocksOf(pagesOf(value), file), warnings: [] }
}

const DOCUMENT = 'word/document.xml'

/**
 * Word records where pages ended when last rendered. Such a mark becomes a page break, unless one precedes
 * it.
 */
function withPageBreaks(xml: string): string {
  let hasText = false
  return xml.replaceAll(MARKS, (mark) => {
    if (mark.startsWith('<w:t')) {
      hasText = true
      return mark
    }
    const isDuplicate = mark.startsWith('<w:lastRendered') && !hasText
    hasText = false
    return isDuplicate ? '' : '<w:br w:type="page"/>'
  })
}
const MARKS = /<w:t[ >]|<w:lastRenderedPageBreak\s*\/>|<w:br\s[^<>]{0,100}w:type="page"[^<>]{0,100}\/>/g

/** Cuts at page breaks, but keeps a table on the page where it starts. */
function pagesOf(html: string): HtmlPart[] {
  const pages: HtmlPart[] = []
  let tables = 0
  let start = 0
  let number = 1
  let breaks = 0
  const cut = (at: number, next: number) => {
    pages.push({ html: html.slice(start, at), metadata: { page_number: number } })
    start = next
    number += breaks
    breaks = 0
  }
  for (const { 0: mark, index } of html.matchAll(/<table|<\/table>|<hr class="page" \/>/g)) {
    if (mark === '<table') tables++
    else if (mark === '</table>') tables--
    else breaks++
    if (tables === 0 && breaks > 0)
      cut(mark === '</table>' ? index + mark.length : index, index + mark.length)
  }
  cut(html.length, html.length)
  return pages
}
