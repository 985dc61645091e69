import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { anyPage } from '../../../test/world/any-page.ts'
import { openBrowser, type WorldBrowser } from '../../../test/world/browser.ts'
import { preparePage, readVisibleText } from '../../../test/world/read-as-person.ts'
import { partitionHtml } from './html.ts'

type VisibleContent = { words: string[]; pictures: string[] }

describe('text that a browser shows', () => {
  let browser: WorldBrowser
  let page: Page
  before(async () => {
    browser = await openBrowser('http://127.0.0.1')
    page = await browser.page()
    await preparePage(page)
  })
  after(() => browser.close())

  async function readInBrowser(pages: string[]): Promise<VisibleContent[]> {
    const found = await readVisibleText(page, pages)
    return found.map(({ text, pictures }) => ({ words: words(text), pictures: pictures.map(plain) }))
  }

  const folder = new URL('fixtures/', import.meta.url)
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.html'))) {
    test(`it equals the text of the elements, in order: ${name}`, async () => {
      const html = readFileSync(new URL(name, folder), 'utf8')
      assert.deepEqual([read(html)], await readInBrowser([html]))
    })
  }

  test('it equals the text of the elements of any page', async () => {
    const pages = fc.sample(anyPage, { seed: 20_250_901, numRuns: 600 })
    const expected = await readInBrowser(pages)
    for (const [index, html] of pages.entries()) assert.deepEqual(read(html), expected[index], html)
  })
})

function read(html: string): VisibleContent {
  const elements = partitionHtml({ html, title: '', filename: '1.html', filetype: 'text/html' })
  return {
    words: words(elements.flatMap(({ type, text }) => (type === 'Image' ? [] : [text])).join('\n')),
    pictures: elements.flatMap(({ type, text }) => (type === 'Image' ? [plain(text)] : [])),
  }
}

function words(text: string): string[] {
  return plain(text).split(' ').filter(Boolean)
}

/** Drops zero-width characters, which a browser copies, and uses plain letters in formulae. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
