import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_INLINE_LENGTH } from '../compute.ts'
import { renderBody } from '../connectors/wiki/content/render-page.ts'
import { createFileReading } from '../pipeline/partition/reading/file-reading.ts'

const { signal } = new AbortController()

test('it renders the large page of a workspace while another has many', async () => {
  const files = createFileReading({ readers: 1 })
  const storage = '<p>Water turns a wheel.</p>'.repeat(Math.ceil(MAX_INLINE_LENGTH / 20))
  const done: string[] = []
  const render = async (workspace: string, pageId: string) => {
    const page = { pageId, title: 'Mills', spaceKey: 'ENG', home: 'https://wiki.example' }
    const input = { storage, page, comments: [], names: new Map() }
    const { rendition } = await renderBody(input, files.forWorkspace(workspace).compute, signal)
    assert.ok(rendition.parts.length > 0)
    done.push(workspace)
  }
  try {
    // The first pages of a reader take ten times as long.
    await Promise.all([render('first', 'warm'), render('second', 'warm')])
    done.length = 0
    const first = Array.from({ length: 40 }, (_, n) => render('first', String(n)))
    const second = [render('second', 'a'), render('second', 'b')]
    await Promise.all(second)
    const before = done.length - second.length
    await Promise.all(first)
    assert.ok(before < 20, `the first workspace had ${before} pages rendered before`)
    assert.equal(done.length, 42)
  } finally {
    await files.close()
  }
})
