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
  test('it hashes file name, text, "None" for no page, and the position', () => {
    const ids = assignElementIds([element('a', 'x'), element('b', 'x')]).map((e) => e.element_id)
    assert.deepEqual(ids, [sha('1.htmlxNone0'), sha('1.htmlxNone1')])
  })

  test('it restarts positions on every page, and assigns no id twice', () => {
    const pages = [1, 1, 2, 1]
    const ids = assignElementIds(pages.map((page_number, i) => element(String(i), 'x', { page_number })))
    assert.deepEqual(
      ids.map((e) => e.element_id),
      [sha('1.htmlx10'), sha('1.htmlx11'), sha('1.htmlx20'), sha('1.htmlx14')],
    )
  })

  test('it skips ids that are already used', () => {
    const repeated = Array.from({ length: 5 }, (_, i) => element(`r${i}`, 'x', { page_number: 11 }))
    const other = Array.from({ length: 7 }, (_, i) => element(`o${i}`, 'y', { page_number: 2 }))
    const once = element('a', 'x', { page_number: 1 })
    const again = element('b', 'x', { page_number: 1 })
    // Position 14 on page 1 and position 4 on page 11 hash the same text.
    const ids = assignElementIds([...repeated, once, ...other, again]).map((e) => e.element_id)
    assert.deepEqual([ids.length, new Set(ids).size], [14, 14])
    assert.equal(ids.at(-1), sha('1.htmlx115'))
  })

  test('it assigns the same ids as the Python library', () => {
    // Ids of the first two elements of fixtures/runbook.html in unstructured 0.27.32.
    const elements = assignElementIds([element('a', 'Restart'), element('b', 'Contacts')])
    assert.deepEqual(
      elements.map((e) => e.element_id),
      ['40228d4657ca2d325a83dd88827c9ad0', '8cd27e5b9fa1c29089eb471c7de3c72c'],
    )
  })

  test('it maps parents to the new ids and drops missing ones', () => {
    const [title, child, orphan] = assignElementIds([
      element('t', 'Title'),
      element('c', 'child', { parent_id: 't' }),
      element('o', 'orphan', { parent_id: 'gone' }),
    ])
    assert.equal(child?.metadata.parent_id, title?.element_id)
    assert.equal(orphan && 'parent_id' in orphan.metadata, false)
  })
})
