import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { FileToRead } from '../files/reading-file.ts'
import { createFileReading } from './file-reading.ts'
import { READING_LIMITS } from './limits.ts'

const { signal } = new AbortController()

async function handbook(): Promise<FileToRead> {
  const bytes = await readFile(new URL('../../../../test/fixtures/files/handbook.pdf', import.meta.url))
  const filetype = 'application/pdf'
  return { bytes, filetype, filename: 'handbook.pdf', url: '', strategy: 'auto', languages: [] }
}

describe('the time limit of a file', () => {
  test('it pauses while the caller uses a page', async (t) => {
    const file = await handbook()
    const files = createFileReading({ readers: 1 })
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const renderedPages: number[] = []
    for await (const { page } of files.pictures(file, signal)) {
      renderedPages.push(page)
      t.mock.timers.tick(2 * READING_LIMITS.totalMs)
    }
    t.mock.timers.reset()
    await files.close()
    assert.ok(renderedPages.length > 1)
  })

  for (const [what, ms] of [
    ['without progress', READING_LIMITS.stalledMs],
    ['in total', READING_LIMITS.totalMs],
  ] as const) {
    test(`it continues while the next page renders, ${what}`, async (t) => {
      const file = await handbook()
      const limits = what === 'in total' ? { stalledMs: 2 * READING_LIMITS.totalMs } : {}
      const files = createFileReading({ readers: 1, ...limits })
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const pages = files.pictures(file, signal)
      await pages.next()
      const next = assert.rejects(pages.next(), { code: 'document_broken', message: /took longer than/ })
      t.mock.timers.tick(ms)
      await next
      t.mock.timers.reset()
      await files.close()
    })
  }
})

describe('the queue of files', () => {
  test('it puts text ahead of files, which may need OCR', async () => {
    const file = await handbook()
    const files = createFileReading({ readers: 1 })
    const pages = files.pictures(file, signal)
    await pages.next()
    const order: string[] = []
    const text = { body: 'Water.', title: '', filename: 'a.txt', filetype: 'text/plain', url: '' }
    const waiting = [
      files.read(file, signal).then(() => order.push('file')),
      files.partition(text, signal).then(() => order.push('text')),
    ]
    await pages.return(undefined)
    await Promise.all(waiting)
    await files.close()
    assert.deepEqual(order, ['text', 'file'])
  })
})
