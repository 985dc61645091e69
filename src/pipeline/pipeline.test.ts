import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import type { SourceDocument } from '../document.ts'
import { AppError } from '../errors.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import { type PipelinePlan, parseNodes, plan } from './nodes.ts'
import { createFileReading } from './partition/reading/file-reading.ts'
import { canPartition } from './pipeline.ts'
import { runnerOf } from './runner.ts'

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
      scopeName: 'Operations',
      labels: [],
      ancestors: [],
      access: NO_ACCESS,
    },
    version: '4',
    filetype: 'text/html',
    body: readFileSync(new URL('partition/fixtures/runbook.html', import.meta.url), 'utf8'),
    ...changed,
  }
}

const { signal } = new AbortController()
const files = createFileReading({ readers: 1 })
after(() => files.close())
const processed = async (document: SourceDocument, planned: PipelinePlan) =>
  (await runnerOf(planned, null, { files }).work(document, signal)).elements

const partition = { name: 'P', type: 'partition', subtype: 'auto' }

describe('chunking by similarity', () => {
  const planned = plan(parseNodes([partition, { type: 'chunk', subtype: 'chunk_by_similarity' }]))
  const body = '<p>Cats purr.</p><p>Cats sleep.</p><p>Taxes rise.</p>'
  const embed = async (texts: string[]) => texts.map((text) => (text.includes('Cats') ? [1, 0] : [0, 1]))

  test('it compares with the given embedder, and adds no vectors to the elements', async () => {
    const { elements } = await runnerOf(planned, null, { similarityEmbedder: { dims: 2, embed } }).work(
      page({ body }),
      signal,
    )
    assert.deepEqual(
      elements.map(({ text, embeddings }) => [text, embeddings]),
      [
        ['Runbook', undefined],
        ['Cats purr.\n\nCats sleep.', undefined],
        ['Taxes rise.', undefined],
      ],
    )
  })
})

describe('processing a file', () => {
  const planned = plan(parseNodes([partition]))
  const file = (filetype: string, body: Uint8Array) => {
    const document = page({ filetype, body })
    const ref = { ...document.ref, title: 'notes.txt', filename: 'notes.txt' }
    return processed({ ...document, ref }, planned)
  }
  const textsOf = async (filetype: string, body: string | Uint8Array) =>
    (await file(filetype, typeof body === 'string' ? Buffer.from(body) : body)).map((element) => element.text)

  test('it reads the content of a file, without a title from its name', async () => {
    const [element, ...rest] = await file('text/plain', Buffer.from('Größe: 3 m'))
    assert.deepEqual(rest, [])
    assert.equal(element?.text, 'Größe: 3 m')
    assert.equal(element?.metadata.filename, 'notes.txt')
    assert.equal(element?.metadata.filetype, 'text/plain')
    assert.deepEqual(await textsOf('text/html', '<h1>One</h1><p>Two words.</p>'), ['One', 'Two words.'])
  })

  test('it detects the encoding', async () => {
    const latin = (text: string) => Buffer.from(text, 'latin1')
    const wide = Buffer.from('\ufeffGröße', 'utf16le')
    assert.deepEqual(await textsOf('text/plain', '\ufeffGröße'), ['Größe'])
    assert.deepEqual(await textsOf('text/plain', wide), ['Größe'])
    assert.deepEqual(await textsOf('text/plain', Buffer.from(wide).swap16()), ['Größe'])
    assert.deepEqual(await textsOf('text/plain', Buffer.from('Größe', 'utf16le')), ['Größe'])
    assert.deepEqual(await textsOf('text/plain', latin('Gr\xf6\xdfe \x96 3 \x80')), ['Größe – 3 €'])
    const greek = latin('<meta charset="iso-8859-7"><p>\xc1\xe8\xde\xed\xe1</p>')
    assert.deepEqual(await textsOf('text/html', greek), ['Αθήνα'])
    const older = latin(
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>\xcc\xe8\xf0</p>',
    )
    assert.deepEqual(await textsOf('text/html', older), ['Мир'])
    const polish = latin('<?xml version="1.0" encoding="ISO-8859-2"?>\n<a>\xb3\xf3d\xbc</a>')
    assert.match((await textsOf('application/xml', polish)).join(), /łódź/)
  })

  test('it trusts bytes over a wrong declared encoding', async () => {
    assert.deepEqual(await textsOf('text/html', '<meta charset="iso-8859-1"><p>Größe</p>'), ['Größe'])
    assert.deepEqual(await textsOf('text/html', '<meta charset="utf-16"><p>Größe</p>'), ['Größe'])
    const wrong = Buffer.from('<meta charset="utf-8"><p>Gr\xf6\xdfe</p>', 'latin1')
    assert.deepEqual(await textsOf('text/html', wrong), ['Größe'])
    assert.deepEqual(await textsOf('text/html', '<meta charset="no-such"><p>ok</p>'), ['ok'])
  })

  test('it keeps the lines of tables and code, and joins those of prose', async () => {
    assert.deepEqual(await textsOf('text/csv', 'name,value\r\na,1\r\n\r\nb,2\r\n'), ['name value\na 1\nb 2'])
    assert.deepEqual(await textsOf('text/tab-separated-values', 'a\tb\n1\t2\n'), ['a b\n1 2'])
    assert.deepEqual(await textsOf('application/json', '{\n  "a": 1\n}\n'), ['{\n  "a": 1\n}'])
    assert.deepEqual(await textsOf('text/markdown', '# Title\n\none\ntwo &amp; three\n'), [
      'Title',
      'one two & three',
    ])
    assert.deepEqual(await textsOf('text/plain', ''), [])
  })

  test('it lists the readable types', async () => {
    for (const type of [
      'text/html; charset=utf-8',
      'TEXT/PLAIN',
      'text/x-rst',
      'application/xml',
      'application/pdf',
    ])
      assert.equal(canPartition(type), true, type)
    for (const type of ['application/java-archive', 'application/x-cfb', 'constructor', ''])
      assert.equal(canPartition(type), false, type)
  })
})

describe('processing a document', () => {
  test('it chunks a page by default', async () => {
    const chunks = await processed(page(), plan(parseNodes(null)))
    assert.deepEqual(
      chunks.map(({ type, text }) => [type, text.split('\n')[0]]),
      [
        ['CompositeElement', 'Runbook'],
        ['CompositeElement', 'If it fails'],
        ['Table', 'Team Who'],
        ['CompositeElement', '☑ Renew the certificate'],
      ],
    )
    assert.ok(chunks.every((chunk) => chunk.metadata.filename === '98777.html'))
  })

  test('it returns equal elements every time', async () => {
    const planned = plan(parseNodes(null))
    assert.deepEqual(await processed(page(), planned), await processed(page(), planned))
  })

  test('it returns unchunked elements without a chunk node', async () => {
    const elements = await processed(page(), plan(parseNodes([partition])))
    assert.equal(elements.length, 20)
    assert.equal(elements[0]?.metadata.partitioner_type, 'fast')
  })

  test('it leaves out excluded types, also as parents', async () => {
    const settings = { exclude_elements: ['Title', 'Image'] }
    const elements = await processed(page(), plan(parseNodes([{ ...partition, settings }])))
    assert.ok(elements.length > 10)
    assert.ok(
      elements.every(({ type, metadata }) => type !== 'Title' && type !== 'Image' && !metadata.parent_id),
    )
  })

  test('it refuses text files larger than 20 MB', async () => {
    const planned = plan(parseNodes([partition]))
    for (const filetype of ['text/html', 'text/plain', 'application/json'])
      await assert.rejects(
        processed(page({ filetype, body: Buffer.alloc(20_000_001, 'word ') }), planned),
        (error) =>
          error instanceof AppError && error.code === 'file_too_large' && /20 MB/.test(error.message),
      )
  })

  test('it reads plain text, and refuses types without a partitioner', async () => {
    const planned = plan(parseNodes([partition]))
    const text = await processed(page({ filetype: 'text/plain; charset=utf-8', body: 'a <b> c' }), planned)
    assert.deepEqual(
      text.map((element) => element.text),
      ['Runbook', 'a <b> c'],
    )
    for (const filetype of ['application/java-archive', 'constructor', '']) {
      await assert.rejects(
        processed(page({ filetype }), planned),
        (error) => error instanceof AppError && error.code === 'document_unsupported',
      )
    }
  })
})
