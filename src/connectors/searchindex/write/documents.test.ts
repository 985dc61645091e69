import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Element, ElementMetadata } from '../../../document.ts'
import type { WriteItem } from '../../destination.ts'
import { elementKey } from '../../kit/stored-element.ts'
import { elasticsearch } from '../engines/elasticsearch.ts'
import { createIndexOperation, writeOperations } from './documents.ts'

const options = { fence: 7, engine: elasticsearch }
const FILE: ElementMetadata = { filename: '1.html', filetype: 'text/html' }

function item(id: string, dataSource: object, more: Partial<Element> = {}): WriteItem {
  const element: Element = { type: 'Title', element_id: id, text: `text of ${id}`, metadata: FILE, ...more }
  return { recordId: 'wiki/1', element, dataSource: { ...dataSource } }
}

function linesOf({ lines }: { lines: string }): unknown[] {
  assert.ok(lines.endsWith('\n'))
  return lines
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('the operations of a bulk request', () => {
  test('it writes every element whole, whether its metadata is shared or not', () => {
    const shared = { title: 'Weir "two" \u2028', access: { c0: ['group:a'] }, labels: [] }
    const first = item('a', shared, { text: 'ß € 🚰 "quoted" \\ \n', embeddings: [0.25, -1] })
    const items = [
      first,
      { ...item('b', {}), dataSource: first.dataSource },
      item('c', { title: 'Sluice', access: { c0: ['user:b'] } }),
      item('d', {}, { metadata: { ...FILE, entities: { items: [], relationships: [] } } }),
      { ...item('e', {}), dataSource: first.dataSource },
    ]
    const written = [...writeOperations(items, options)].map(linesOf)
    const expected = items.map(({ recordId, element: { element_id: id, metadata, ...rest }, dataSource }) => [
      {
        index: {
          _id: elementKey(recordId, id),
          version: 7,
          version_type: 'external_gte',
          ...elasticsearch.writeGuard,
        },
      },
      { record_id: recordId, element_id: id, ...rest, metadata: { ...metadata, data_source: dataSource } },
    ])
    assert.deepEqual(written, expected)
  })

  test('it writes elements that have no other metadata', () => {
    const ids = { recordId: 'wiki/1', elementId: 'a' }
    const toOperation = createIndexOperation(options)
    const [, document] = linesOf(
      toOperation({ ...ids, document: {}, metadata: {}, dataSource: { version: '3' } }),
    )
    assert.deepEqual(document, { metadata: { data_source: { version: '3' } } })
  })
})
