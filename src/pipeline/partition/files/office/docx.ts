import { packArchive, unpack } from '../archive.ts'
import { blocksOf, type HtmlPart } from '../paged.ts'
import type { ReadFile } from '../reading-file.ts'
import { parsed } from '../refusals.ts'
import { rewrite, withoutHiddenText } from './hidden.ts'

/** A Word document: styles mark headings, page breaks mark pages. */
export const readDocx: ReadFile = async (file) => {
  const { default: mammoth } = await import('mammoth')
  const parts = unpack(file, (name) => !/(^|\/)(media|embeddings|fonts)\//.test(name))
  for (const name of [DOCUMENT, 'word/footnotes.xml', 'word/endnotes.xml'])
    rewrite(parts, name, withoutHiddenText)
  rewrite(parts, DOCUMENT, withPageBreaks)
  const options = {
    styleMap: [
      "br[type='page'] => hr.page",
      "p[style-name='Title'] => h1:fresh",
      "p[style-name='Subtitle'] => h2:fresh",
      "p[style-name='caption'] => figcaption:fresh",
    ],
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    externalFileAccess: false,
  }
  const { value } = await parsed(file.filename, 'not a readable document', () =>
    mammoth.convertToHtml({ buffer: packArchive(parts) }, options),
  )
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

type OpenTag = { name: string; token: string; items: number; hasText: boolean }

/** Cuts at page breaks, but keeps a table on the page where it starts. Open tags continue on the next page. */
function pagesOf(html: string): HtmlPart[] {
  const pages: HtmlPart[] = []
  const open: OpenTag[] = []
  let [reopened, start, number, breaks, tables] = ['', 0, 1, 0, 0]
  const cut = (at: number, next: number) => {
    pages.push({ html: reopened + html.slice(start, at), metadata: { page_number: number } })
    reopened = reopen(open)
    start = next
    number += breaks
    breaks = 0
  }
  for (const { 0: token, 1: slash, 2: name = '', index } of html.matchAll(TAGS_AND_TEXT)) {
    const parent = open.at(-1)
    if (token === PAGE_BREAK) breaks++
    else if (name === '') {
      if (parent) parent.hasText = true
    } else if (slash) {
      open.pop()
      if (open.length > 0) open.at(-1)!.hasText ||= parent?.hasText ?? false
    } else if (!token.endsWith('/>')) {
      if (parent && name === 'li') parent.items++
      open.push({ name, token, items: 0, hasText: false })
    }
    if (name === 'table') tables += slash ? -1 : 1
    if (tables === 0 && breaks > 0)
      cut(token === PAGE_BREAK ? index : index + token.length, index + token.length)
  }
  cut(html.length, html.length)
  return pages
}
const PAGE_BREAK = '<hr class="page" />'
const TAGS_AND_TEXT = /<(\/?)([a-z]\w*)[^<>]*>|[^<\s][^<]*/g

/** An item that began before the page does not get its number again. */
function reopen(open: OpenTag[]): string {
  const began = open.findIndex(
    ({ name }, at) => name === 'li' && open.slice(at).some(({ hasText }) => hasText),
  )
  const tags = open.map(({ name, token, items }, at) => {
    if (name === 'ol') return `<ol start="${items + (at + 1 === began ? 1 : 0)}">`
    return at === began ? '' : token
  })
  return tags.join('')
}
