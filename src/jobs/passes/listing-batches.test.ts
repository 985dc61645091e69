import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListingPage } from '../../connectors/source.ts'
import type { DocumentRef } from '../../document.ts'
import { NO_ACCESS } from '../../permissions/levels.ts'
import { BATCH_SIZE, batchListing, type ListingEvent } from './listing-batches.ts'

const asOf = new Date('2026-01-01T00:00:00Z')

test('it joins pages to batches that cover every position once', async () => {
  const pages = [refs('A', 1, 300), refs('A', 301, 600), refs('A', 601, 700), end('A')]
  const batches = await summaries(pages)
  assert.ok(BATCH_SIZE === 500)
  assert.deepEqual(batches, [
    ['A', 599, null, at(599), false],
    ['A', 101, at(599), null, true],
  ])
})

test('it keeps documents of one position together', async () => {
  const file = { ...ref('A', 2_500), recordId: 'file' }
  const pages = [refs('A', 1, 2_500), page('A', [file]), end('A')]
  assert.deepEqual(await summaries(pages), [
    ['A', 2_499, null, at(2_499), false],
    ['A', 2, at(2_499), null, true],
  ])
})

test('it drops what an earlier attempt has recorded, even if the source lists it again', async () => {
  const pages = [refs('A', 1, 5), end('A'), refs('B', 1, 5), end('B')]
  const before = { ended: new Set(['A']), after: new Map([['B', at(3)]]) }
  assert.deepEqual(await summaries(pages, before), [['B', 2, at(3), null, true]])
})

test('it passes on what was read before an error, without the last position', async () => {
  const seen: ListingEvent[] = []
  async function* failing(): AsyncGenerator<ListingPage> {
    yield refs('A', 1, 5)
    throw new Error('the source failed')
  }
  await assert.rejects(async () => {
    for await (const event of batchListing(failing())) seen.push(event)
  }, /the source failed/)
  assert.deepEqual(seen.map(summary), [['A', 4, null, at(4), false]])
})

test('it ends a scope without documents', async () => {
  assert.deepEqual(await summaries([end('A')]), [['A', 0, null, null, true]])
})

async function summaries(pages: ListingPage[], before?: Parameters<typeof batchListing>[1]) {
  async function* listing() {
    yield* pages
  }
  const events: ListingEvent[] = []
  for await (const event of batchListing(listing(), before)) events.push(event)
  return events.map(summary)
}

function summary(event: ListingEvent) {
  assert.ok(event.kind === 'batch')
  return [event.scope, event.refs.length, event.after, event.to, event.end !== undefined]
}

function end(scope: string): ListingPage {
  return { kind: 'end', scope }
}

function refs(scope: string, first: number, last: number): ListingPage {
  return page(
    scope,
    Array.from({ length: last - first + 1 }, (_, index) => ref(scope, first + index)),
  )
}

function page(scope: string, documents: DocumentRef[]): ListingPage {
  return { kind: 'refs', scope, refs: documents, asOf }
}

function at(position: number): string {
  return String(position).padStart(8, '0')
}

function ref(scope: string, id: number): DocumentRef {
  return {
    ...{ recordId: `w/${id}`, scope, position: at(id), version: '1', title: '', url: '', locator: {} },
    ...{ filename: '1.html', createdAt: null, modifiedAt: null, author: null, labels: [], ancestors: [] },
    scopeName: scope,
    access: NO_ACCESS,
  }
}
