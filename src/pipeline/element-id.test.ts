import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Element } from '../document.ts'
import { assignElementIds } from './element-id.ts'

const sha = (content: string) => createHash('sha256').update(content).digest('hex').slice(0, 32)

function element(id: string, text: string, more: Partial<Element['metadata']> = {}): Element {
  const metadata = { filename: '1.html', filetype: 'text/html', ...more }
  return { type: 'NarrativeText', element_id: id, text, metadata }
}

describe('element ids', () => {
  test('it hashes file name, text, "None" for no page, and the place', () => {
    const ids = assignElementIds([element('a', 'x'), element('b', 'x')]).map((e) => e.element_id)
    assert.deepEqual(ids, [sha('1.htmlxNone0'), sha('1.htmlxNone1')])
  })

  test('it counts places anew in every run of one page number, and gives no id twice', () => {
    const pages = [1, 1, 2, 1]
    const ids = assignElementIds(pages.map((page_number, i) => element(String(i), 'x', { page_number })))
    assert.deepEqual(
      ids.map((e) => e.element_id),
      [sha('1.htmlx10'), sha('1.htmlx11'), sha('1.htmlx20'), sha('1.htmlx14')],
    )
  })

  test('it counts on where the next id is taken as well', () => {
    const repeated = Array.from({ length: 5 }, (_, i) => element(`r${i}`, 'x', { page_number: 11 }))
    const other = Array.from({ length: 7 }, (_, i) => element(`o${i}`, 'y', { page_number: 2 }))
    const once = element('a', 'x', { page_number: 1 })
    const again = element('b', 'x', { page_number: 1 })
    // The fourteenth place on page 1 reads like the fourth on page 11.
    const ids = assignElementIds([...repeated, once, ...other, again]).map((e) => e.element_id)
    assert.deepEqual([ids.length, new Set(ids).size], [14, 14])
    assert.equal(ids.at(-1), sha('1.htmlx115'))
  })

  test('it gives the ids that the Python library gives', () => {
    // Of the first two elements of fixtures/runbook.html, by unstructured 0.27.32.
    const made = assignElementIds([element('a', 'Restart'), element('b', 'Contacts')])
    assert.deepEqual(
      made.map((e) => e.element_id),
      ['40228d4657ca2d325a83dd88827c9ad0', '8cd27e5b9fa1c29089eb471c7de3c72c'],
    )
  })

  test('it carries parents over to the new ids and drops those that are not there', () => {
    const [title, child, orphan] = assignElementIds([
      element('t', 'Title'),
      element('c', 'child', { parent_id: 't' }),
      element('o', 'orphan', { parent_id: 'gone' }),
    ])
    assert.equal(child?.metadata.parent_id, title?.element_id)
    assert.equal(orphan && 'parent_id' in orphan.metadata, false)
  })
})
