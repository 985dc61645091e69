import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Element } from '../document.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import { defaultNodes, parseNodes, plan } from './nodes.ts'
import { createFileReading } from './partition/reading/file-reading.ts'
import { partition } from './pipeline.ts'
import { runnerOf } from './runner.ts'

const { partition: settings } = plan(defaultNodes().slice(0, 1))
const { signal } = new AbortController()
const ref = {
  ...{
    recordId: '1',
    scope: 'A',
    position: '1',
    version: '1',
    title: 'A page',
    url: 'https://wiki.example/1',
  },
  ...{ locator: {}, filename: '1.html', createdAt: null, modifiedAt: null, author: null },
  ...{ scopeName: 'A', labels: [], ancestors: [], access: NO_ACCESS },
}

describe('large text', () => {
  const files = createFileReading({ readers: 1 })
  after(() => files.close())

  const sentence = 'The wheel turns by the water, and the race is 3 < 4 m wide.'
  for (const [filetype, piece] of [
    ['text/html; charset=utf-8', `<h2>Race</h2><p>${sentence} é</p>`],
    ['text/plain', `${sentence}\n\n`],
    ['text/x-rst', `${sentence}\n\n`],
    ['application/json', `{"a": "${sentence}"}\n`],
    ['application/xml', `<a>${sentence}</a>\n`],
  ] as const) {
    test(`it reads ${filetype} in a reader process, with the same result`, async () => {
      const text = piece.repeat(Math.ceil(270_000 / piece.length))
      for (const body of [text, Buffer.from(text)]) {
        const document = { ref, version: '', filetype, body }
        const apart = await partition(document, { settings, files }, signal)
        assert.deepEqual(apart, await partition(document, { settings, files: null }, signal))
        assert.ok(apart.elements.length > 0)
      }
      assert.ok(files.pids().length > 0)
    })
  }

  for (const subtype of ['chunk_by_title', 'chunk_by_character', 'chunk_by_page', 'chunk_by_similarity'])
    test(`it runs ${subtype} in a reader process, with the same result`, async () => {
      const nodes = parseNodes([{ type: 'partition' }, { type: 'chunk', subtype, settings: { overlap: 50 } }])
      const similarityEmbedder = {
        dims: 2,
        embed: async (texts: string[]) => texts.map((text) => [1, text.length % 2]),
      }
      const metadata = { filename: '1.html', filetype: 'text/html' }
      const elements = Array.from({ length: 5000 }, (_, at): Element => {
        const text = `${sentence} ${'x'.repeat(at % 7)}`
        return { type: at % 9 ? 'NarrativeText' : 'Title', element_id: String(at), text, metadata }
      })
      const own = createFileReading({ readers: 1 })
      const apart = runnerOf(plan(nodes), null, { similarityEmbedder, files: own })
      const inline = runnerOf(plan(nodes), null, { similarityEmbedder })
      const chunks = await apart.chunk({ elements, warnings: [] }, signal)
      assert.ok(own.pids().length > 0)
      assert.deepEqual(chunks, await inline.chunk({ elements, warnings: [] }, signal))
      await own.close()
    })

  test('it refuses more chunks than can get vectors, before they are embedded', async () => {
    const embedder = { dims: 4000, embed: async () => assert.fail('embedded') }
    const nodes = parseNodes([{ type: 'partition' }, { type: 'chunk', settings: { max_characters: 2 } }])
    const body = 'ab '.repeat(5001)
    const document = { ref, version: '', filetype: 'text/plain', body }
    await assert.rejects(runnerOf(plan(nodes), embedder, { files }).work(document, signal), {
      code: 'document_too_large',
      message: 'processing 1.html: it has more than 5,000 elements',
    })
  })

  test('it reads short text in this process', async () => {
    const own = createFileReading({ readers: 1 })
    const document = { ref, version: '', filetype: 'text/html', body: `<p>${sentence}</p>` }
    assert.equal((await partition(document, { settings, files: own }, signal)).elements.length, 2)
    assert.deepEqual(own.pids(), [])
    await own.close()
  })
})
