import type { DocumentWarning } from '../../../../document.ts'
import { refuseTooManyParts } from '../../../limits.ts'
import { recognise } from '../ocr/ocr.ts'
import type { FileToRead, ReadFile, ReadingContext } from '../reading-file.ts'
import { type OpenPdf, openPdf } from './open.ts'
import type { Page } from './page.ts'
import { pageBlocks } from './page-blocks.ts'
import { renderPage } from './render.ts'
import { charactersOf, isGarbled, MIN_CHARACTERS, readTextLayer } from './text-layer.ts'

/** OCR takes a second or more per page; documents with more scanned pages are archives. */
const MAX_SCANNED_PAGES = 300

export const readPdf: ReadFile = async (file, context) => {
  const pdf = await openPdf(file)
  try {
    const warnings: DocumentWarning[] = []
    const pages = await readPages(pdf, { file, context, warnings })
    return { blocks: pageBlocks(pages, file), warnings }
  } finally {
    await pdf.close()
  }
}

async function readPages(
  pdf: OpenPdf,
  { file, context, warnings }: { file: FileToRead; context: ReadingContext; warnings: DocumentWarning[] },
): Promise<Page[]> {
  const pages: Page[] = []
  let unread = 0
  let scans = 0
  let itemCount = 0
  for (let number = 1; number <= pdf.pages; number++) {
    const proxy = await pdf.page(number)
    const page = await readTextLayer(proxy, pdf.ops)
    itemCount += page.items.length
    refuseTooManyParts(itemCount, file.filename)
    const hasLittleText = charactersOf(page.items) < MIN_CHARACTERS
    const needsOcr =
      file.strategy !== 'fast' && (hasLittleText || (file.strategy === 'hi_res' && isGarbled(page.items)))
    if (needsOcr && scans < MAX_SCANNED_PAGES) {
      scans++
      const { canvas, scale } = await renderPage(proxy)
      const found = await recognise(canvas, { languages: file.languages, scale })
      // Keeps a text stamp on an otherwise empty page.
      const isBetter = charactersOf(found.items) > charactersOf(page.items) || isGarbled(page.items)
      pages.push(isBetter ? { ...page, ...found, scanned: true } : page)
    } else {
      if (hasLittleText && (file.strategy === 'fast' || needsOcr)) unread++
      pages.push(page)
    }
    proxy.cleanup()
    context.progress()
  }
  if (unread > 0) warnings.push(unreadPages(unread, file))
  return pages
}

function unreadPages(count: number, { filename, strategy }: FileToRead): DocumentWarning {
  const why =
    strategy === 'fast'
      ? 'a page has no text, and strategy fast does not use OCR'
      : `more than ${MAX_SCANNED_PAGES} pages have no text; OCR reads no more`
  return { code: 'pages_without_text', count, message: `${filename}: ${why}` }
}
