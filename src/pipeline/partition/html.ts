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
  /** Becomes the first element; left out where it is empty. */
  title: string
  filename: string
  filetype: string
  /** The page's own address, against which its links are completed. */
  url?: string
  partitionerType?: string
}

/**
 * A rendered page → elements. The page's title is a Title of depth 0 and its headings h1 to h6 are Titles of
 * depth 1 to 6. Every element's parent is the Title it stands under: the nearest one before it, for a Title
 * the nearest of a lower depth. A ListItem's depth is the number of lists it stands in.
 */
export function partitionHtml(page: HtmlPage): Element[] {
  refuseBinary(page.html, page.filename)
  const blocks = hasMarkup(page.html)
    ? readBlocks(page.html, { filename: page.filename, url: page.url })
    : readParagraphs(page.html, { filename: page.filename, entities: true })
  return toElements(blocks, page)
}

/** The same for a body that is plain text by its own account: nothing in it is a tag or an entity. */
export function partitionText({ html: text, ...page }: HtmlPage): Element[] {
  refuseBinary(text, page.filename)
  return toElements(readParagraphs(text, { filename: page.filename, entities: false }), page)
}

/** The same where a line is a row or a level, and would mean nothing run together with the next. */
export function partitionLines({ html: text, ...page }: HtmlPage): Element[] {
  refuseBinary(text, page.filename)
  return toElements(readParagraphs(text, { filename: page.filename, entities: false, lines: true }), page)
}

/** Blocks of any origin → elements. */
export function toElements(body: Block[], page: Omit<HtmlPage, 'html'>): Element[] {
  const title = collapse(page.title)
  const blocks: Block[] = title === '' ? body : [{ type: 'Title', text: title, depth: 0, links: [] }, ...body]
  const common = commonMetadata(blocks, page)
  /** Index of the Title now open at each depth. */
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

/** The beginning of what people wrote; code would pass for English. */
function sample(blocks: Block[]): string {
  let text = ''
  for (const block of blocks) {
    if (block.type !== 'CodeSnippet' && block.type !== 'Image') text += `${block.text.slice(0, 4000)}\n`
    if (text.length > 4000) break
  }
  return text
}
