import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { NOBODY_ACCESS } from '../access.ts'
import type { SourceDocument } from '../document.ts'
import { AppError } from '../errors.ts'
import { parseNodes, plan } from './nodes.ts'
import { workDocument } from './pipeline.ts'

function page(changed: Partial<SourceDocument> = {}): SourceDocument {
  return {
    ref: {
      recordId: 'wiki.example.com/98777',
      scope: 'OPS',
      position: '98777',
      version: '4',
      title: 'Runbook',
      url: 'https://wiki.example.com/spaces/OPS/pages/98777/Runbook',
      locator: { space_key: 'OPS', page_id: '98777' },
      filename: '98777.html',
      createdAt: null,
      modifiedAt: null,
      author: null,
      space: { key: 'OPS', name: 'Operations' },
      labels: [],
      ancestors: [],
      access: NOBODY_ACCESS,
    },
    version: '4',
    filetype: 'text/html',
    body: readFileSync(new URL('partition/fixtures/runbook.html', import.meta.url), 'utf8'),
    ...changed,
  }
}

const partition = { name: 'P', type: 'partition', subtype: 'auto' }

describe('the work on a document', () => {
  test('it makes chunks of a page by default', () => {
    const chunks = workDocument(page(), plan(parseNodes(null)))
    assert.deepEqual(
      chunks.map(({ type, text }) => [type, text.split('\n')[0]]),
      [
        ['CompositeElement', 'Runbook'],
        ['CompositeElement', 'If it fails'],
        ['Table', 'Team Who'],
        ['CompositeElement', 'Renew the certificate'],
      ],
    )
    assert.ok(chunks.every((chunk) => chunk.metadata.filename === '98777.html'))
  })

  test('it is the same every time', () => {
    const planned = plan(parseNodes(null))
    assert.deepEqual(workDocument(page(), planned), workDocument(page(), planned))
  })

  test('it leaves elements as they are without a chunk node', () => {
    const elements = workDocument(page(), plan(parseNodes([partition])))
    assert.equal(elements.length, 20)
    assert.equal(elements[0]?.metadata.partitioner_type, 'fast')
  })

  test('it leaves out the types that are excluded, and parents with them', () => {
    const settings = { exclude_elements: ['Title', 'Image'] }
    const elements = workDocument(page(), plan(parseNodes([{ ...partition, settings }])))
    assert.ok(elements.length > 10)
    assert.ok(
      elements.every(({ type, metadata }) => type !== 'Title' && type !== 'Image' && !metadata.parent_id),
    )
  })

  test('it reads plain text, and refuses what it has no partitioner for', () => {
    const planned = plan(parseNodes([partition]))
    const text = workDocument(page({ filetype: 'text/plain; charset=utf-8', body: 'a <b> c' }), planned)
    assert.deepEqual(
      text.map((element) => element.text),
      ['Runbook', 'a <b> c'],
    )
    for (const filetype of ['application/pdf', 'constructor', '']) {
      assert.throws(
        () => workDocument(page({ filetype }), planned),
        (error) => error instanceof AppError && error.code === 'document_unsupported',
      )
    }
  })
})
