import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListingPage, ReadOutcome, Source } from '../connectors/source.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import { defaultNodes } from '../pipeline/nodes.ts'
import { runnerOf } from '../pipeline/runner.ts'
import type { RunnerFactory } from '../pipeline/runner-factory.ts'
import { previewDocuments } from './preview.ts'

const nodes = defaultNodes()
const embedder = { dims: 3, embed: async (texts: string[]) => texts.map(() => [0.1, 0.2, 0.3]) }
const runners: RunnerFactory = {
  configured: {},
  create: async (planned) => runnerOf(planned, embedder),
  forTenant: () => runners,
  embedder: async () => embedder,
  files: async () => Promise.reject(new Error('there are no files here')),
  close: async () => {},
}
const { signal } = new AbortController()

function ref(id: number): DocumentRef {
  return {
    recordId: `w/${id}`,
    scope: 'A',
    position: String(id),
    version: '1',
    title: `Page ${id}`,
    url: `https://w.example/${id}`,
    locator: { page_id: String(id) },
    filename: `${id}.html`,
    createdAt: null,
    modifiedAt: null,
    author: null,
    scopeName: 'A',
    labels: [],
    ancestors: [],
    access: NO_ACCESS,
  }
}

type SourceOptions = { read?(ref: DocumentRef): ReadOutcome; pages?: number }

/** Lists two documents at a time, and records how far it was listed. */
function sourceOf({ read, pages = 5 }: SourceOptions = {}) {
  const listing = { pages: 0, closed: false }
  async function* list(until: AbortSignal): AsyncGenerator<ListingPage> {
    try {
      for (; listing.pages < pages; ) {
        until.throwIfAborted()
        const first = 2 * listing.pages++
        yield { kind: 'refs', scope: 'A', refs: [ref(first), ref(first + 1)], asOf: new Date() }
      }
      yield { kind: 'complete' }
    } finally {
      listing.closed = true
    }
  }
  const whole = (each: DocumentRef): ReadOutcome => ({
    ref: each,
    document: { ref: each, version: '1', filetype: 'text/html', body: '<p>Some words.</p>' },
  })
  const source = {
    list,
    read: async function* (refs: DocumentRef[]) {
      for (const each of refs) yield (read ?? whole)(each)
    },
  }
  // The code under test uses only `list` and `read`.
  return { source: source as unknown as Source, listing }
}

test('it stops the listing once all documents are found', async () => {
  const first = sourceOf()
  const views = await previewDocuments({ source: first.source, nodes, runners }, { limit: 3 }, signal)
  assert.deepEqual(
    views.map(({ recordId }) => recordId),
    ['w/0', 'w/1', 'w/2'],
  )
  assert.deepEqual(first.listing, { pages: 2, closed: true })

  const some = sourceOf()
  const wanted = { recordIds: ['w/5', 'w/0', 'w/5'] }
  const found = await previewDocuments({ source: some.source, nodes, runners }, wanted, signal)
  assert.deepEqual(
    found.map(({ recordId }) => recordId),
    ['w/5', 'w/0'],
  )
  assert.equal(some.listing.pages, 3)
})

test('it shows each node, and only the dimension and first numbers of vectors', async () => {
  const { source } = sourceOf()
  const [view] = await previewDocuments({ source, nodes, runners }, { limit: 1 }, signal)
  assert.deepEqual(
    view?.nodes.map(({ node, total, dims, sample }) => [node.type, total, dims, sample]),
    [
      ['partition', 2, undefined, undefined],
      ['chunk', 1, undefined, undefined],
      ['embed', 1, 3, [0.1, 0.2, 0.3]],
    ],
  )
})

test('it reports the error of each document separately', async () => {
  const { source } = sourceOf({
    read: (each) => {
      const document = { ref: each, version: '1', filetype: 'video/mp4', body: Buffer.from('x') }
      if (each.recordId === 'w/0') return { ref: each, document }
      if (each.recordId === 'w/1') return { ref: each, relist: true }
      return { ref: each, error: new AppError('document_too_large', 'reading page 2: it is too long') }
    },
  })
  const wanted = { recordIds: ['w/0', 'w/1', 'w/2', 'w/nowhere'] }
  const views = await previewDocuments({ source, nodes, runners }, wanted, signal)
  assert.deepEqual(
    views.map(({ error, nodes }) => [error?.code, nodes]),
    [
      ['document_unsupported', []],
      ['source_failed', []],
      ['document_too_large', []],
      ['document_gone', []],
    ],
  )
})

test('it leaves out images, elements beyond 200, and HTML that is too long', async () => {
  const image = '<img alt="A cat" src="data:image/png;base64,iVBORw0KGgo=">'
  const body = `<p>A cat: ${image}</p>${'<p>Another paragraph of it.</p>'.repeat(20_000)}`
  const { source } = sourceOf({
    read: (each) => ({ ref: each, document: { ref: each, version: '1', filetype: 'text/html', body } }),
  })
  const [view] = await previewDocuments({ source, nodes, runners }, { limit: 1 }, signal)
  const [partitioned] = view?.nodes ?? []
  assert.equal(view?.html, null)
  assert.ok((partitioned?.total ?? 0) > 20_000)
  assert.equal(partitioned?.elements.length, 200)
  assert.ok(!JSON.stringify(view).includes('image_base64'))
})

test('it reports how many documents it found before the deadline', async () => {
  const stop = new AbortController()
  const { source } = sourceOf({ pages: Number.POSITIVE_INFINITY })
  setImmediate(() => stop.abort())
  const endless = { ...source, list: slowly(source) } as Source
  await assert.rejects(
    previewDocuments({ source: endless, nodes, runners }, { recordIds: ['w/0', 'w/never'] }, stop.signal),
    /1 of 2 documents were found before the deadline/,
  )
})

function slowly(source: Source): Source['list'] {
  return async function* (until) {
    for await (const page of source.list(until)) {
      yield page
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
