import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { FileToRead } from '../files/reading-file.ts'
import { createFileReading } from './file-reading.ts'
import { READING_LIMITS, stalledMsOf } from './limits.ts'

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

describe('readers of several workspaces', () => {
  test('it keeps a reader for workspaces without one, and takes turns', async () => {
    const file = await handbook()
    const files = createFileReading({ readers: 2 })
    const text = { body: 'Water.', title: '', filename: 'a.txt', filetype: 'text/plain', url: '' }
    const read = (workspace: string) => files.forWorkspace(workspace).partition(text, signal)
    const first = files.forWorkspace('first')
    const held = [first.pictures(file, signal), first.pictures(file, signal)]
    for (const pages of held) await pages.next()
    let firstRead = 0
    const waiting = [1, 2, 3].map(() => read('first').then(() => firstRead++))
    await Promise.all([read('second'), read('second'), read('third')])
    assert.equal(firstRead, 0, 'the first workspace holds its two readers')
    assert.equal(files.pids().length, 3)
    for (const pages of held) await pages.return(undefined)
    await Promise.all(waiting)
    await files.close()
  })

  test('it lets a workspace use as many readers as it may while no other waits', async () => {
    const file = await handbook()
    const files = createFileReading({ readers: 2 })
    const own = files.forWorkspace('own')
    const held = [own.pictures(file, signal), own.pictures(file, signal)]
    await Promise.all(held.map((pages) => pages.next()))
    assert.equal(files.pids().length, 3, 'one is ready for others')
    for (const pages of held) await pages.return(undefined)
    await files.close()
  })
})

describe('the time limit of text', () => {
  const limits = READING_LIMITS
  test('it grows with the size, up to the limit of other files', () => {
    const markdown = (bytes: number) => ({ filetype: 'text/markdown', bytes: new Uint8Array(bytes) })
    assert.equal(stalledMsOf(markdown(60_000), limits), 20_600)
    assert.equal(stalledMsOf(markdown(50_000_000), limits), limits.stalledMs)
    assert.equal(stalledMsOf({ ...markdown(60_000), filetype: 'application/pdf' }, limits), limits.stalledMs)
  })

  test('it ends the reading of hostile Markdown with a reason', async (t) => {
    const files = createFileReading({ readers: 1 })
    const bytes = Buffer.from('*a_'.repeat(20_000))
    const file = { ...(await handbook()), bytes, filetype: 'text/markdown', filename: 'a.md' }
    // Its start does not count as the file's time.
    await files.read({ ...file, bytes: Buffer.from('Mill') }, signal)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const refused = assert.rejects(files.read(file, signal), {
      code: 'document_broken',
      message: 'reading a.md: it took longer than 21 s',
    })
    t.mock.timers.tick(20_600)
    await refused
    t.mock.timers.reset()
    await files.close()
  })
})
