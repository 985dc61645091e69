import type { PDFPageProxy } from 'pdfjs-dist'
import type { Box } from '../../../../document.ts'
import { absoluteAddress } from '../../running-text.ts'
import { multiply } from './matrix.ts'
import type { Item, Page, PageLink } from './page.ts'
import { rulesOf } from './rules.ts'

/** A page with less text is a scan, perhaps with a stamp. */
export const MIN_CHARACTERS = 20

type Ops = typeof import('pdfjs-dist')['OPS']

/** Texts with positions, drawn lines and links of a page. */
export async function readTextLayer(proxy: PDFPageProxy, ops: Ops): Promise<Page> {
  const { width, height, transform } = proxy.getViewport({ scale: 1 })
  // A page may have a larger unit than a point.
  const unit = Math.hypot(transform[0] ?? 1, transform[1] ?? 0)
  const { items: runs } = await proxy.getTextContent()
  const items: Item[] = []
  const fonts: string[] = []
  for (const run of runs) {
    if (!('str' in run) || run.str.trim() === '') continue
    const [a, b, c, d, e, f] = multiply(transform, run.transform)
    const size = Math.hypot(c, d)
    // Rotated text is a stamp or margin note and would split other lines.
    if (Math.abs(b) > Math.abs(a) * 0.2 || size === 0) continue
    items.push({ text: run.str, x: e, y: f, width: run.width * unit, size, bold: false })
    fonts.push(run.fontName)
  }
  const empty = { number: proxy.pageNumber, width, height, items, rules: [], links: [] }
  if (charactersOf(items) < MIN_CHARACTERS) return empty
  const operators = await proxy.getOperatorList()
  for (const [index, item] of items.entries()) item.bold = isBold(proxy, fonts[index] ?? '')
  return {
    ...empty,
    rules: rulesOf(operators, transform, ops),
    links: await linksOf(proxy, { height, items }),
  }
}

export function charactersOf(items: Item[]): number {
  return items.reduce((sum, { text }) => sum + text.replaceAll(/\s/g, '').length, 0)
}

/** Mostly unreadable characters: the font has no Unicode mapping. */
export function isGarbled(items: Item[]): boolean {
  const text = items.map((item) => item.text).join('')
  const unreadable = text.match(/[\p{Co}\p{Cn}\p{Cc}\ufffd]/gu)?.length ?? 0
  return unreadable * 5 > text.length
}

function isBold(proxy: PDFPageProxy, font: string): boolean {
  if (!proxy.commonObjs.has(font)) return false
  const {
    name = '',
    bold,
    black,
  } = proxy.commonObjs.get(font) as { name?: string; bold?: boolean; black?: boolean }
  return bold === true || black === true || /bold|black|heavy/i.test(name)
}

async function linksOf(
  proxy: PDFPageProxy,
  { height, items }: { height: number; items: Item[] },
): Promise<PageLink[]> {
  const annotations = (await proxy.getAnnotations()) as { url?: string; rect?: number[] }[]
  const links = annotations.flatMap(({ url, rect }) => {
    const address = url ? absoluteAddress(url, undefined) : null
    if (!address || rect?.length !== 4) return []
    const [left = 0, bottom = 0, right = 0, top = 0] = rect
    const box = { left, right, top: height - top, bottom: height - bottom }
    return [{ url: address, box, text: textIn(items, box) }]
  })
  // Some programs place the same link twice.
  const key = ({ url, box }: PageLink) => `${url} ${Math.round(box.left)} ${Math.round(box.top)}`
  return [...new Map(links.map((link) => [key(link), link])).values()]
}

/** The words under a box, guessed from the run's width. */
function textIn(items: Item[], { left, top, right, bottom }: Box): string {
  const words: string[] = []
  for (const { text, x, y, width, size } of items) {
    if (y < top || y - size * 0.8 > bottom || x > right || x + width < left) continue
    let at = x
    for (const word of text.split(/(?<=\s)/)) {
      const end = at + (word.length / text.length) * width
      if ((at + end) / 2 > left && (at + end) / 2 < right) words.push(word.trim())
      at = end
    }
  }
  return words.join(' ')
}
