import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { UNQUALIFIED_NAMING } from '../../../permissions/principals.ts'
import type { ListingPage } from '../../source.ts'
import type { ListedPages, ListOptions, PageInfo, Space, WikiClient } from '../client.ts'
import { wikiSchema } from '../config.ts'
import { createListingRun, listSpace } from './list-space.ts'
import { pagesInOrder } from './pages-in-order.ts'

const { signal } = new AbortController()
const space = { id: '1', key: 'ENG', name: 'Engineering', homepageId: null } as Space
const settings = { url: 'https://wiki.example', token: 't', max_num_of_docs_from_each_space: 1_000_000 }
const config = wikiSchema.parse(settings)

type Lists = Partial<Record<string, Iterable<ListedPages>>>

/** A wiki with these lists by kind and status, whose pages anyone may read. */
function wikiWith(lists: Lists): WikiClient {
  // The methods that listing open pages needs.
  return {
    site: { name: 'wiki.example', home: 'https://wiki.example' },
    naming: UNQUALIFIED_NAMING,
    superGroup: null,
    permissionChecks: null,
    roles: async () => ({ mode: '', permissions: new Map() }),
    grants: async () => [{ to: { kind: 'class', id: 'anonymous-users' }, operation: 'read/space' }],
    pagesIn: async function* (_: Space, { kind, status }: ListOptions) {
      yield* lists[`${status} ${kind}`] ?? []
    },
  } as unknown as WikiClient
}

function pageWith(id: number, status = 'current'): PageInfo {
  const restriction = { read: null, update: null }
  return {
    id: String(id),
    status,
    kind: 'page',
    title: '',
    parent: null,
    version: '1',
    metadata: {
      id: String(id),
      labels: [],
      files: [],
      restrictions: { restriction, accounts: [], complete: true },
    },
  } as unknown as PageInfo
}

/** Responses of 250 pages each. */
function* responses(ids: number[], { inOrder = true, status = 'current' } = {}): Generator<ListedPages> {
  for (let at = 0; at < ids.length; at += 250)
    yield { pages: ids.slice(at, at + 250).map((id) => pageWith(id, status)), inOrder }
}

function* failingAfter(listed: Iterable<ListedPages>): Generator<ListedPages> {
  yield* listed
  throw new AppError('source_misread', 'cut off')
}

const numbers = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step)

describe('the pages of a space', () => {
  const merged = async (lists: Lists, more: object = {}) => {
    const wiki = { client: wikiWith(lists), config: wikiSchema.parse({ ...settings, ...more }), space }
    const rows = await Array.fromAsync(pagesInOrder(wiki, Number.POSITIVE_INFINITY, signal))
    return rows.map(({ id, status }) => `${id} ${status}`)
  }
  const both = { statuses: ['current', 'archived'] }

  test('are merged from their lists by id', async () => {
    const lists = {
      'current page': responses(numbers(2, 6000, 2)),
      'archived page': responses(numbers(1, 900, 2), { status: 'archived' }),
    }
    const found = await merged(lists, both)
    assert.equal(found.length, 2999 + 450)
    const ids = found.map((row) => Number.parseInt(row, 10))
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
  })

  test('are listed once, with the status of the later list', async () => {
    const lists = {
      'current page': responses([1, 2, 3]),
      'archived page': responses([2, 4], { status: 'archived' }),
    }
    assert.deepEqual(await merged(lists, both), ['1 current', '2 archived', '3 current', '4 archived'])
  })

  test('are sorted if a list is in another order', async () => {
    const ids = numbers(1, 4000)
    for (const inOrder of [true, false]) {
      const found = await merged({ 'current page': responses([...ids, 7].toReversed(), { inOrder }) })
      assert.deepEqual(
        found,
        ids.map((id) => `${id} current`),
      )
    }
  })

  test('fail if the order changes after pages were yielded', async () => {
    const lists = { 'current page': responses([...numbers(100, 4000), 7]) }
    await assert.rejects(merged(lists), /not in the order of ids/)
  })
})

describe('a space', () => {
  test('is yielded up to the batch that fails, without an end', async () => {
    const client = wikiWith({ 'current page': failingAfter(responses(numbers(1, 3001))) })
    const seen: ListingPage[] = []
    await assert.rejects(async () => {
      for await (const pages of listSpace(createListingRun({ client, config }, signal), { space }, signal))
        seen.push(...pages)
    }, /cut off/)
    const refs = seen.flatMap((page) => (page.kind === 'refs' ? page.refs : []))
    assert.equal(refs.length, 2500)
    assert.ok(seen.every(({ kind }) => kind === 'refs'))
  })

  test('has one time for all its batches', async () => {
    const client = wikiWith({ 'current page': responses(numbers(1, 6000)) })
    const run = createListingRun({ client, config, batchSize: 500 }, signal)
    const times = new Set<number>()
    const before = Date.now()
    let firstBatchAt = 0
    for await (const pages of listSpace(run, { space }, signal)) {
      firstBatchAt ||= Date.now()
      await new Promise((resolve) => setTimeout(resolve, 2))
      for (const page of pages) if (page.kind === 'refs') times.add(page.asOf.getTime())
    }
    assert.equal(times.size, 1)
    assert.ok([...times].every((time) => time >= before && time <= firstBatchAt))
  })
})
