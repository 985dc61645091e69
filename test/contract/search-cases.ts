import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Destination } from '../../src/connectors/destination.ts'
import type { NativeQuery, SearchFilters } from '../../src/connectors/search.ts'
import type { WithCapabilities } from '../../src/connectors/type.ts'
import { NO_ONE_TOKEN } from '../../src/permissions/principals.ts'
import { writeItem } from '../world/search-engine/fresh-index.ts'
import { type HitsRequest, searchHits } from '../world/search-hits.ts'

export type SearchUnderTest = AsyncDisposable & {
  destination: WithCapabilities<Destination, 'search'>
  refresh(): Promise<void>
  /** Sends the destination's own query to its engine; returns the ids of elements. */
  runNative(query: NativeQuery): Promise<string[]>
}

const { signal } = new AbortController()
let fence = 0
const EVERYBODY = 'class:anonymous-users'
const LICENSED = 'class:wiki.test/all-licensed-users'
const ada = ['user:557058:ada', 'group:millers', LICENSED, EVERYBODY]
const bob = ['user:557058:bob', 'group:millers', 'group:auditors', LICENSED, EVERYBODY]
const visitor = [EVERYBODY]

/** Searching as a person, in every destination that can search; `fresh` opens an empty one. */
export function searchCases(fresh: () => Promise<SearchUnderTest>): void {
  let index: SearchUnderTest
  before(async () => {
    index = await fresh()
    await index.destination.prepare({ dims: 3 }, signal)
    const place = (space_key: string, labels: string[]) => ({
      more: { record_locator: { space_key, page_id: '1' }, labels },
    })
    const items = [
      writeItem('open', {
        text: 'water for <everyone>',
        access: { c0: ['class:anonymous-users'] },
        embeddings: [1, 0, 0],
        ...place('PUB', ['a']),
      }),
      writeItem('space', {
        text: 'water of the mill',
        access: { c0: ['group:millers'] },
        embeddings: [0.9, 0.1, 0],
        ...place('MILL', ['a', 'b']),
      }),
      writeItem('audit', {
        text: 'water accounts',
        access: { c0: ['group:millers'], c1: ['group:auditors'] },
        embeddings: [0.8, 0.2, 0],
      }),
      writeItem('ada', {
        text: 'water notes',
        access: { c0: ['group:millers'], c1: [LICENSED], c2: ['user:557058:ada'] },
        embeddings: [0.7, 0.3, 0],
      }),
      writeItem('closed', { text: 'water secret', access: { c0: [NO_ONE_TOKEN] }, embeddings: [1, 0, 0] }),
      writeItem('later', {
        text: 'water secret',
        access: { c0: ['group:millers'], c7: [NO_ONE_TOKEN] },
        embeddings: [1, 0, 0],
      }),
      writeItem('bare', { text: 'water bare', more: { access: undefined }, embeddings: [1, 0, 0] }),
      writeItem('dry', {
        text: 'stones and grain',
        access: { c0: ['group:millers'] },
        embeddings: [0, 0.2, 1],
      }),
    ]
    assert.deepEqual(await index.destination.write(items, ++fence, signal), [])
    await index.refresh()
  })
  after(() => index[Symbol.asyncDispose]())

  const search = (tokens: string[], more: Partial<HitsRequest> = {}) =>
    searchHits(index.destination.search, { query: 'water', tokens, size: 10, from: 0, ...more }, signal)
  const seen = async (tokens: string[], more: Partial<HitsRequest> = {}) => {
    const { total, hits } = await search(tokens, more)
    return [total, ...hits.map((hit) => hit.element_id).sort()]
  }

  test('shows and counts only what each person may read', async () => {
    assert.deepEqual(await seen(ada), [3, 'ada', 'open', 'space'])
    assert.deepEqual(await seen(bob), [3, 'audit', 'open', 'space'])
    assert.deepEqual(await seen(visitor), [1, 'open'])
    const alike = ['user:ada', 'group:557058', 'group:nobody', 'nobody', `group:${NO_ONE_TOKEN}`, EVERYBODY]
    assert.deepEqual(await seen(alike), [1, 'open'])
    assert.deepEqual(await seen([]), [0], 'an inactive account carries nothing')
  })

  test('shows no more by vector than by words', async () => {
    const vector = [1, 0, 0]
    assert.deepEqual(await seen(ada, { vector }), [4, 'ada', 'dry', 'open', 'space'])
    assert.deepEqual(await seen(bob, { vector }), [4, 'audit', 'dry', 'open', 'space'])
    assert.deepEqual(await seen(visitor, { vector }), [1, 'open'])
  })

  test('finds what is below the floor only by words', async () => {
    const near = { vector: [1, 0, 0], floor: 0.95 }
    assert.deepEqual(await seen(ada, near), [3, 'ada', 'open', 'space'])
    assert.deepEqual(await seen(ada, { ...near, query: 'zzxxqq' }), [2, 'open', 'space'])
    assert.deepEqual(await seen(ada, { ...near, query: 'grain' }), [3, 'dry', 'open', 'space'])
    assert.deepEqual(await seen(ada, { ...near, query: 'zzxxqq', vector: [-1, -1, -1] }), [0])
    assert.deepEqual(await seen(visitor, { ...near, query: 'grain' }), [1, 'open'])
  })

  test('gives a query that finds the same in the engine itself', async () => {
    for (const tokens of [ada, bob, visitor, []])
      for (const more of [
        {},
        { vector: [1, 0, 0] },
        { vector: [1, 0, 0], floor: 0.95, query: 'grain' },
        { filters: { space_key: ['MILL'], modified: { gte: '2001-01-01' } } },
        { query: 'it\'s $1 "water"; --' },
        { query: '!' },
      ]) {
        const request = { query: 'water', tokens, size: 10, from: 0, ...more }
        const native = await index.destination.search.native!(request, signal)
        const [, ...expected] = await seen(tokens, more)
        assert.deepEqual((await index.runNative(native)).sort(), expected, JSON.stringify(more))
      }
  })

  test('finds by vector elements without the words, and by words those with them', async () => {
    const { hits } = await search(ada, { vector: [0, 0.2, 1], query: 'mill' })
    assert.deepEqual(
      hits.slice(0, 2).map(({ element_id }) => element_id),
      ['dry', 'space'],
    )
  })

  test('reports which tokens matched each clause', async () => {
    const { hits } = await search(ada)
    const granted = Object.fromEntries(hits.map((hit) => [hit.element_id, hit.granted_by]))
    assert.deepEqual(granted, {
      open: ['class:anonymous-users'],
      space: ['group:millers'],
      ada: ['group:millers', LICENSED, 'user:557058:ada'],
    })
  })

  test('marks the words in escaped text', async () => {
    const [hit] = (await search(visitor)).hits
    assert.equal(hit?.highlights[0], '<mark>water</mark> for &lt;everyone&gt;')
    assert.equal(hit?.text, 'water for <everyone>')
    assert.deepEqual([hit?.title, hit?.url], ['Sluice gates', 'https://wiki.test/pages/1'])
  })

  test('narrows by space and label', async () => {
    assert.deepEqual(await seen(ada, { filters: { space_key: ['PUB'] } }), [1, 'open'])
    assert.deepEqual(await seen(ada, { filters: { labels: ['b'] } }), [1, 'space'])
    assert.deepEqual(
      await seen(ada, { filters: { labels: ['b'], space_key: ['PUB'] }, vector: [1, 0, 0] }),
      [0],
    )
  })

  test('narrows by ancestor, author, file type, record and date', async () => {
    await using other = await fresh()
    await other.destination.prepare({ dims: null }, signal)
    const more = {
      ...{
        author: 'u:9',
        date_created: '2026-01-31T10:00:00.000Z',
        date_modified: '2026-03-31T10:00:00.000Z',
      },
      ancestors: [
        { id: '7', title: 'Home' },
        { id: '8', title: 'Plans' },
      ],
    }
    const item = writeItem('a', { access: { c0: [EVERYBODY] }, more })
    await other.destination.write([item], ++fence, signal)
    await other.refresh()
    const total = async (filters: SearchFilters) =>
      (await other.destination.search.rank({ query: '', tokens: visitor, depth: 5, filters }, signal)).total
    for (const filters of [
      { ancestors: ['7'] },
      { ancestors: ['wiki.test/8', '1'] },
      { author: ['u:9', 'u:1'] },
      { filetype: ['text/html'] },
      { record_id: ['wiki.test/1'] },
      { created: { lte: '2026-01-31' } },
      { modified: { gte: '2026-03-31', lte: '2026-04-01T00:00:00Z' } },
    ])
      assert.equal(await total(filters), 1, JSON.stringify(filters))
    for (const filters of [
      { ancestors: ['1'] },
      { ancestors: ['other.test/8'] },
      { author: ['u'] },
      { filetype: ['text'] },
      { record_id: ['wiki.test/10'] },
      { created: { gte: '2026-02-01' } },
      { author: ['u:9'], modified: { lte: '2026-03-30' } },
    ])
      assert.equal(await total(filters), 0, JSON.stringify(filters))
  })

  test('finds the files of an archive one by one', async () => {
    await using other = await fresh()
    await other.destination.prepare({ dims: null }, signal)
    const items = ['a.txt', 'b/a.txt', undefined].map((path, at) => {
      const item = writeItem(`e${at}`, { text: 'weir', access: { c0: [EVERYBODY] } })
      const { metadata } = item.element
      return path === undefined
        ? item
        : { ...item, element: { ...item.element, metadata: { ...metadata, path_in_archive: path } } }
    })
    await other.destination.write(items, ++fence, signal)
    await other.refresh()
    const { search: reading } = other.destination
    const rank = async (query: string, filters: SearchFilters = {}, tokens = visitor) => {
      const { ranked } = await reading.rank({ query, tokens, depth: 5, filters }, signal)
      return ranked.map(({ path_in_archive: path }) => path ?? null).toSorted()
    }
    for (const query of ['', 'weir']) {
      assert.deepEqual(await rank(query), ['a.txt', 'b/a.txt', null])
      assert.deepEqual(await rank(query, { path_in_archive: ['b/a.txt'] }), ['b/a.txt'])
      assert.deepEqual(await rank(query, { path_in_archive: ['a'] }), [])
      assert.deepEqual(await rank(query, { path_in_archive: ['a.txt'] }, ['user:none']), [])
    }
    const keys = ['e1', 'e2'].map((id) => reading.keyOf('wiki.test/1', id))
    const read = await reading.elements({ keys, tokens: visitor }, signal)
    assert.deepEqual(
      keys.map((key) => read.get(key)?.path_in_archive),
      ['b/a.txt', null],
    )
  })

  test('returns values for facets with each ranked element', async () => {
    const facets = ['space_key', 'labels', 'filetype', 'author', 'modified'] as const
    for (const vector of [undefined, [1, 0, 0]]) {
      const { ranked } = await index.destination.search.rank(
        {
          ...{ query: 'water', tokens: visitor, depth: 5, facets: [...facets] },
          ...(vector ? { vector } : {}),
        },
        signal,
      )
      const values = {
        space_key: ['PUB'],
        labels: ['a'],
        filetype: ['text/html'],
        author: [],
        modified: [],
      }
      assert.deepEqual(
        ranked.map((each) => each.facets),
        [values],
      )
    }
  })

  test('reads elements by key only for readers', async () => {
    const { search } = index.destination
    const keys = ['open', 'ada', 'closed', 'none'].map((id) => search.keyOf('wiki.test/1', id))
    const read = async (tokens: string[]) =>
      [...(await search.elements({ keys, tokens }, signal)).values()].map((each) => each.element_id).sort()
    assert.deepEqual(await read(ada), ['ada', 'open'])
    assert.deepEqual(await read(visitor), ['open'])
    assert.deepEqual(await read([]), [])
  })

  for (const vector of [undefined, [1, 0, 0]]) {
    test(`pages without gaps or repeats ${vector ? 'by vector' : 'by words'}`, async () => {
      const whole = (await search(bob, { query: 'water', ...(vector ? { vector } : {}) })).hits.map(
        (hit) => hit.element_id,
      )
      const pages: string[] = []
      for (let from = 0; from < whole.length; from++) {
        const { hits } = await search(bob, { from, size: 1, ...(vector ? { vector } : {}) })
        pages.push(...hits.map((hit) => hit.element_id))
      }
      assert.deepEqual(pages, whole)
    })
  }

  test('shows everything readable for an empty query', async () => {
    assert.deepEqual(await seen(ada, { query: ' ' }), [4, 'ada', 'dry', 'open', 'space'])
  })

  test('hides an element as soon as its access is replaced', async () => {
    const dataSource = { access: { c0: ['group:auditors'] } }
    await index.destination.updateAccess(
      [{ recordId: 'wiki.test/1', elementIds: ['dry'], dataSource }],
      ++fence,
      signal,
    )
    await index.refresh()
    assert.deepEqual(await seen(ada, { query: 'grain' }), [0])
    assert.deepEqual(await seen(bob, { query: 'grain' }), [1, 'dry'])
  })
}
