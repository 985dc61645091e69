import type { Element, ElementMetadata } from '../../document.ts'
import { assignElementIds } from '../element-id.ts'
import { type Block, readBlocks } from './blocks.ts'
import { detectLanguage } from './language.ts'
import { hasMarkup } from './markup.ts'
import { readParagraphs } from './plain-text.ts'
import { refuseBinary } from './readable.ts'
import { collapse } from './running-text.ts'

export type HtmlPage = {
  html: string
  /** Becomes the first element unless empty. */
  title: string
  filename: string
  filetype: string
  /** Resolves relative links. */
  url?: string
  partitionerType?: string
}

/**
 * A rendered page → elements. The page title has depth 0, h1 to h6 have depth 1 to 6. An element's parent is
 * the nearest Title before it; a Title's parent has a lower depth.
 */
export function partitionHtml(page: HtmlPage): Element[] {
  refuseBinary(page.html, page.filename)
  const blocks = hasMarkup(page.html)
    ? readBlocks(page.html, { filename: page.filename, url: page.url })
    : readParagraphs(page.html, { filename: page.filename, entities: true })
  return toElements(blocks, page)
}

/** Plain text, without tags or entities. */
export function partitionText({ html: text, ...page }: HtmlPage): Element[] {
  refuseBinary(text, page.filename)
  return toElements(readParagraphs(text, { filename: page.filename, entities: false }), page)
}

/** Plain text that keeps its lines, which may be rows or levels. */
export function partitionLines({ html: text, ...page }: HtmlPage): Element[] {
  refuseBinary(text, page.filename)
  return toElements(readParagraphs(text, { filename: page.filename, entities: false, lines: true }), page)
}

export function toElements(body: Block[], page: Omit<HtmlPage, 'html'>): Element[] {
  const title = collapse(page.title)
  const blocks: Block[] = title === '' ? body : [{ type: 'Title', text: title, depth: 0, links: [] }, ...body]
  const common = commonMetadata(blocks, page)
  /** Index of the open Title per depth. */
  const titles: (number | undefined)[] = []

  const elements = blocks.map((block, index): Element => {
    if (block.type === 'Title') titles.length = Math.min(titles.length, block.depth ?? 0)
    const parent = titles.findLast((at) => at !== undefined)
    if (block.type === 'Title') titles[block.depth ?? 0] = index
    return {
      type: block.type,
      element_id: String(index),
      text: block.text,
      metadata: {
        ...common,
        ...(block.depth === undefined ? {} : { category_depth: block.depth }),
        ...(parent === undefined ? {} : { parent_id: String(parent) }),
        ...(block.links.length === 0
          ? {}
          : {
              link_urls: block.links.map(({ url }) => url),
              link_texts: block.links.map(({ text }) => text),
            }),
        ...block.metadata,
      },
    }
  })
  return assignElementIds(elements)
}

function commonMetadata(blocks: Block[], page: Omit<HtmlPage, 'html'>): ElementMetadata {
  const language = detectLanguage(sample(blocks))
  return {
    filename: page.filename,
    filetype: page.filetype,
    ...(language ? { languages: [language] } : {}),
    partitioner_type: page.partitionerType ?? 'fast',
  }
}

/** Code would count as English. */
function sample(blocks: Block[]): string {
  let text = ''
  for (const block of blocks) {
    if (block.type !== 'CodeSnippet' && block.type !== 'Image') text += `${block.text.slice(0, 4000)}\n`
    if (text.length > 4000) break
  }
  return text
}
