import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { canRead } from './access/truth.ts'
import { newAccount } from './accounts.ts'
import { generateWiki } from './generator.ts'
import type { ApiAccount, ContentNode } from './model/model.ts'
import { renderView } from './render/render-view.ts'

const options = { seed: 11, pages: 160, spaces: 5, comments: true }
const world = generateWiki({ ...options, includes: true })
const pages = [...world.nodes.values()].filter(
  ({ kind, status }) => kind !== 'folder' && status === 'current',
)
const crawler = world.accounts.find(({ name }) => name === 'crawler') as ApiAccount

const shown = (node: ContentNode, account: ApiAccount, site: 'cloud' | 'dataCenter' = 'cloud') =>
  renderView({ world, account, site }, node)
/** The ids of the pages whose code words are in the text. */
const lenders = (html: string) => new Set([...html.matchAll(/zq(\d+)/g)].map(([, id]) => id ?? ''))

describe('generated pages that include others', () => {
  test('it changes only the macros, and only with the option', () => {
    const plain = generateWiki(options)
    for (const node of plain.nodes.values()) {
      const same = world.nodes.get(node.id)
      assert.equal(same?.title, node.title)
      assert.ok(same?.body.storage.startsWith(node.body.storage))
      assert.doesNotMatch(node.body.storage, /include|zq\d/)
    }
    assert.deepEqual(
      [...generateWiki({ ...options, includes: true }).nodes.values()].map(({ body }) => body.storage),
      [...world.nodes.values()].map(({ body }) => body.storage),
    )
  })

  test('it generates every kind of including macro', () => {
    const all = pages.map(({ body }) => body.storage).join('')
    for (const name of [
      ...['include', 'excerpt-include', 'multiexcerpt-include', 'children', 'contentbylabel'],
      ...['detailssummary', 'content-report-table', 'tasks-report-macro', 'recently-updated'],
      ...['excerpt', 'details', 'code', 'status', 'expand'],
    ])
      assert.ok(all.includes(`ac:name="${name}"`), name)
    const comments = [...world.comments.values()].map(({ body }) => body.storage).join('')
    assert.ok(comments.includes('ac:name="include"'))
  })

  test('it shows the crawler foreign text that ordinary readers do not see', () => {
    let [foreign, withheld] = [0, 0]
    for (const page of pages) {
      const [all, mine] = [lenders(shown(page, crawler)), new Set<string>()]
      foreign += all.size > 1 ? 1 : 0
      const reader = [...world.people.keys()].find((id) => canRead(world, id, page.id))
      if (reader === undefined) continue
      for (const id of lenders(shown(page, newAccount('member', reader)))) mine.add(id)
      withheld += [...all].some((id) => !mine.has(id)) ? 1 : 0
    }
    assert.ok(foreign > 40, String(foreign))
    assert.ok(withheld > 10, String(withheld))
  })

  for (const site of ['cloud', 'dataCenter'] as const)
    test(`it shows no unreadable text in any view on ${site}`, () => {
      let borrowed = 0
      for (const [at, person] of [...world.people.keys()].entries()) {
        const account = newAccount('member', person)
        for (const page of pages.filter((_, index) => index % 8 === at % 8)) {
          if (!canRead(world, person, page.id, site)) continue
          for (const id of lenders(shown(page, account, site))) {
            assert.ok(canRead(world, person, id, site), `${person} sees ${id} on ${page.id}`)
            borrowed += id === page.id ? 0 : 1
          }
        }
      }
      assert.ok(borrowed > 50, String(borrowed))
    })

  test('it shows errors for missing pages and ends cycles', () => {
    const all = pages.map((page) => shown(page, crawler)).join('')
    assert.ok(all.includes('Unable to render {include}</span> The included page could not be found'))
    assert.ok(all.includes('The page is included already'))
  })
})
