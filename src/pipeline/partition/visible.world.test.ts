import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { anyPage } from '../../../test/world/any-page.ts'
import { openBrowser, type WorldBrowser } from '../../../test/world/browser.ts'
import { partitionHtml } from './html.ts'

/** What a wiki's own style sheets hide, as far as its rendered pages use it. */
const SHEET =
  '.hidden, .assistive, .print-only, .aui-icon, .expand-hidden, .katex-mathml { display: none !important }'

type Seen = { words: string[]; pictures: string[] }
type Picture = { dataset: Record<string, string | undefined>; alt: string }

describe('what a browser shows of a page', () => {
  let browser: WorldBrowser
  let page: Page
  before(async () => {
    browser = await openBrowser('http://127.0.0.1')
    page = await browser.page()
    await page.setContent(`<!doctype html><style>${SHEET}</style><main></main>`)
  })
  after(() => browser.abandon())

  /**
   * The visible text of each page, after what a person does and we do too. They open what can be opened, and pass
   * over the table of contents; the small picture of an emoji is its character, and a picture in a cell its
   * alternative text (all others are elements of their own); a formula is what was typed for it; labels stand apart
   * by their margins. Of text without size or opacity, and of a drawing's hidden parts, `innerText` knows nothing.
   */
  async function shown(pages: string[]): Promise<Seen[]> {
    const found = await page.locator('main').evaluate((main, all) => {
      const view = main.ownerDocument.defaultView
      const emoticons: Record<string, string> = { tick: '✅', cross: '❌', smile: '🙂' }
      const each = (selector: string) => [...main.querySelectorAll(selector)]
      const emoji = ({ dataset, alt }: Picture) =>
        dataset.emojiFallback ??
        dataset.emojiId?.replace(/-?([^-]+)/g, (_, code) =>
          String.fromCodePoint(Number.parseInt(code, 16)),
        ) ??
        emoticons[dataset.emoticonName ?? ''] ??
        alt

      return all.map((html) => {
        main.innerHTML = html
        for (const part of each('.toc-macro, svg :is(defs, title, desc)')) part.remove()
        for (const part of each('.expand-content')) {
          part.classList.remove('expand-hidden')
          part.style.cssText = ''
        }
        for (const part of each('details')) part.setAttribute('open', '')
        for (const part of each('.status-macro, .aui-lozenge')) part.before(' ')
        for (const part of each('time:empty')) part.append(part.dateTime)
        for (const part of each('script[type=syntaxhighlighter]')) {
          part.outerHTML = part.outerHTML
            .replace(/<script[^>]*><!.CDATA./, '<pre>')
            .replace(/..><.script>$/, '')
        }
        for (const part of each('annotation[encoding="application/x-tex"]')) {
          const whole = part.closest('.katex') ?? part.closest('math')
          whole.replaceWith(part.textContent)
        }
        const unseen = each('*').filter((part) => {
          const { opacity, fontSize } = view.getComputedStyle(part)
          return opacity === '0' || fontSize === '0px'
        })
        for (const part of unseen) part.remove()
        const pictures: string[] = []
        for (const picture of each('img')) {
          const isSeen = picture.checkVisibility({ visibilityProperty: true })
          const inTable = picture.closest('td, th') && !picture.closest('.panelMacro')
          const isEmoji = picture.className.includes('emoticon')
          const isCarried = picture.src.startsWith('data:')
          const { alt } = picture
          if (isSeen && !isEmoji && (isCarried || (alt !== '' && !inTable))) pictures.push(alt)
          picture.replaceWith(isEmoji && isSeen ? emoji(picture) : isSeen && inTable ? ` ${alt} ` : '')
        }
        return { text: main.innerText, pictures }
      })
    }, pages)
    return found.map(({ text, pictures }) => ({ words: words(text), pictures: pictures.map(plain) }))
  }

  const folder = new URL('fixtures/', import.meta.url)
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.html'))) {
    test(`is what its elements say, in the same order: ${name}`, async () => {
      const html = readFileSync(new URL(name, folder), 'utf8')
      assert.deepEqual([read(html)], await shown([html]))
    })
  }

  test('is what the elements of any page say', async () => {
    const pages = fc.sample(anyPage, { seed: 20_250_901, numRuns: 600 })
    const seen = await shown(pages)
    for (const [index, html] of pages.entries()) assert.deepEqual(read(html), seen[index], html)
  })
})

function read(html: string): Seen {
  const elements = partitionHtml({ html, title: '', filename: '1.html', filetype: 'text/html' })
  return {
    words: words(elements.flatMap(({ type, text }) => (type === 'Image' ? [] : [text])).join('\n')),
    pictures: elements.flatMap(({ type, text }) => (type === 'Image' ? [plain(text)] : [])),
  }
}

function words(text: string): string[] {
  return plain(text).split(' ').filter(Boolean)
}

/** Without what has no width, which a browser copies and does not show, and with plain letters in formulae. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u2060\ufeff]/g, '')
    .replace(/[\s\u200b]+/g, ' ')
    .trim()
}
