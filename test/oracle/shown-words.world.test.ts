import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createEgress } from '../../src/connectors/egress/guard.ts'
import { partitionHtml } from '../../src/pipeline/partition/html.ts'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { preparePage, readVisibleText } from '../world/read-as-person.ts'
import { createRandom } from '../world/wiki/model/random.ts'
import { startWiki, type Wiki } from '../world/wiki/start.ts'
import {
  type Deployment,
  deployments,
  everyone,
  listAll,
  openSource,
  readOutcomes,
} from '../world/wiki-source.ts'
import { FOREIGN_PIECES, type MacroPosition, OWN_PIECES } from './every-macro.ts'

/** The words of a page's elements equal what a browser shows of the wiki's view without foreign content. */
const PAGES = 30
const SPACE = 'SHOW'

describe('the words of a page', () => {
  let wiki: Wiki
  let browser: WorldBrowser
  let window: Page
  const egress = createEgress({ publicOnly: false })
  before(async () => {
    wiki = await startWiki({ seed: 9, spaces: 2, pages: 8, people: 8, groups: 3 })
    await fill(wiki)
    browser = await openBrowser('http://127.0.0.1')
    window = await browser.page()
    await preparePage(window)
  })
  after(async () => {
    await browser.close()
    await wiki.stop()
    await egress.close()
  })

  for (const deployment of deployments)
    test(`it equals the words of a browser on ${deployment.name} without foreign content`, async () => {
      const source = openSource({ wiki, deployment, egress }, { spaces: [SPACE] })
      const { refs } = await listAll(source)
      let [both, shown, taken] = [0, 0, 0]
      const differences: string[] = []
      for (const outcome of await readOutcomes(source, refs)) {
        assert.ok('document' in outcome)
        const { ref, document } = outcome
        const expected = await shownWords(ref.locator.page_id!, deployment)
        const found = elementWords(String(document.body))
        const common = overlap(expected, found)
        both += common
        shown += expected.length
        taken += found.length
        if (common !== expected.length || common !== found.length)
          differences.push(`${ref.title}: ${difference(expected, found)} | ${difference(found, expected)}`)
      }
      assert.ok(shown > 1_000, `only ${shown} words`)
      const figures = { recall: both / shown, precision: both / taken }
      assert.ok(
        figures.recall >= 0.999 && figures.precision >= 0.999,
        `${JSON.stringify(figures)}\n${differences.slice(0, 5).join('\n')}`,
      )
    })

  async function shownWords(id: string, { site }: Deployment): Promise<string[]> {
    const view = await wiki.control.view(id, 'crawler', site)
    assert.ok(view !== null)
    const own = await window.locator('main').evaluate(
      (main, { html, foreign }) => {
        main.innerHTML = html
        for (const name of foreign)
          for (const part of main.querySelectorAll(`[data-macro-name="${name}"]`)) part.remove()
        for (const part of main.querySelectorAll('.app-output')) part.remove()
        // The wiki's own notice before the body of an unknown macro.
        for (const part of main.querySelectorAll('.wysiwyg-unknown-macro')) part.firstChild?.remove()
        return String(main.innerHTML)
      },
      { html: view, foreign: Object.keys(FOREIGN_PIECES) },
    )
    const [seen] = await readVisibleText(window, [own])
    return words([seen?.text ?? '', ...(seen?.pictures ?? [])].join('\n'))
  }
})

async function fill({ control }: Wiki): Promise<void> {
  const reading = { key: 'read', targetType: 'space' }
  await control.addSpace({
    key: SPACE,
    name: 'Shown',
    permissions: [{ principal: everyone, operation: reading }],
  })
  const { people } = await control.truth()
  const [target, file] = ['Target page', 'plan.txt']
  await control.createPage({
    space: SPACE,
    title: target,
    body: '<p>foreignwords of the target</p>',
    labels: ['shown'],
  })
  for (let at = 0; at < PAGES; at++) {
    const random = createRandom(at + 1)
    const { accountId, userKey } = random.pick(people.filter(({ active }) => active))
    const place: MacroPosition = { at, person: accountId, userKey, target, space: SPACE, file }
    const pieces = [...Object.values(OWN_PIECES), ...Object.values(FOREIGN_PIECES)]
    const body = random
      .some(pieces, pieces.length)
      .map((piece) => piece(place))
      .join('\n')
    const id = await control.createPage({ space: SPACE, title: `Shown ${at}`, body, labels: ['shown'] })
    await control.attach(id, { title: file, mediaType: 'text/plain', base64: 'cGxhbg==' })
  }
}

function elementWords(html: string): string[] {
  const elements = partitionHtml({ html, title: '', filename: '1.html', filetype: 'text/html' })
  return words(elements.map(({ text }) => text).join('\n'))
}

function words(text: string): string[] {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .split(/\s+/)
    .filter((word) => word !== '')
}

function counted(list: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function overlap(a: string[], b: string[]): number {
  const other = counted(b)
  return [...counted(a)].reduce((sum, [word, count]) => sum + Math.min(count, other.get(word) ?? 0), 0)
}

function difference(a: string[], b: string[]): string {
  const other = counted(b)
  return [...counted(a)]
    .filter(([word, count]) => count > (other.get(word) ?? 0))
    .map(([word]) => word)
    .join(' ')
}
