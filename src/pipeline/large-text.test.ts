import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { NO_ACCESS } from '../access.ts'
import { defaultNodes, plan } from './nodes.ts'
import { createFileReading } from './partition/reading/file-reading.ts'
import { partition } from './pipeline.ts'

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
  ...{ space: { key: 'A', name: 'A' }, labels: [], ancestors: [], access: NO_ACCESS },
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
      assert.equal(files.pids().length, 1)
    })
  }

  test('it reads short text in this process', async () => {
    const own = createFileReading({ readers: 1 })
    const document = { ref, version: '', filetype: 'text/html', body: `<p>${sentence}</p>` }
    assert.equal((await partition(document, { settings, files: own }, signal)).elements.length, 2)
    assert.deepEqual(own.pids(), [])
    await own.close()
  })
})
