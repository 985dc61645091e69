import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CLUSTERS } from '../../../test/world/search-engine/clusters.ts'
import { type FreshIndex, freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { NO_ONE } from '../../access.ts'
import type { SearchRequest } from '../connector.ts'

const { signal } = new AbortController()
let fence = 0
const EVERYBODY = 'class:anonymous-users'
const LICENSED = 'class:wiki.test/all-licensed-users'
const ada = ['user:557058:ada', 'group:millers', LICENSED, EVERYBODY]
const bob = ['user:557058:bob', 'group:millers', 'group:auditors', LICENSED, EVERYBODY]
const visitor = [EVERYBODY]

for (const cluster of CLUSTERS) {
  describe(`searching as a person in ${cluster.name}`, () => {
    let index: FreshIndex
    before(async () => {
      index = await freshIndex({ cluster })
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
        writeItem('closed', { text: 'water secret', access: { c0: [NO_ONE] }, embeddings: [1, 0, 0] }),
        writeItem('later', {
          text: 'water secret',
          access: { c0: ['group:millers'], c7: [NO_ONE] },
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

    const search = (tokens: string[], more: Partial<SearchRequest> = {}) =>
      index.destination.search.query({ query: 'water', tokens, size: 10, from: 0, ...more }, signal)
    const seen = async (tokens: string[], more: Partial<SearchRequest> = {}) => {
      const { total, hits } = await search(tokens, more)
      return [total, ...hits.map((hit) => hit.element_id).sort()]
    }

    test('shows and counts only what each person may read', async () => {
      assert.deepEqual(await seen(ada), [3, 'ada', 'open', 'space'])
      assert.deepEqual(await seen(bob), [3, 'audit', 'open', 'space'])
      assert.deepEqual(await seen(visitor), [1, 'open'])
      const alike = ['user:ada', 'group:557058', 'group:nobody', 'nobody', `group:${NO_ONE}`, EVERYBODY]
      assert.deepEqual(await seen(alike), [1, 'open'])
      assert.deepEqual(await seen([]), [0], 'an inactive account carries nothing')
    })

    test('shows no more by vector than by words', async () => {
      const vector = [1, 0, 0]
      assert.deepEqual(await seen(ada, { vector }), [4, 'ada', 'dry', 'open', 'space'])
      assert.deepEqual(await seen(bob, { vector }), [4, 'audit', 'dry', 'open', 'space'])
      assert.deepEqual(await seen(visitor, { vector }), [1, 'open'])
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
      assert.equal(hit?.highlight, '<mark>water</mark> for &lt;everyone&gt;')
      assert.equal(hit?.text, 'water for <everyone>')
      assert.deepEqual([hit?.title, hit?.url], ['Sluice gates', 'https://wiki.test/pages/1'])
    })

    test('narrows by space and label', async () => {
      assert.deepEqual(await seen(ada, { filters: { space_key: 'PUB' } }), [1, 'open'])
      assert.deepEqual(await seen(ada, { filters: { labels: ['b'] } }), [1, 'space'])
      assert.deepEqual(
        await seen(ada, { filters: { labels: ['b'], space_key: 'PUB' }, vector: [1, 0, 0] }),
        [0],
      )
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

    test('says that the index is missing', async () => {
      await using none = await freshIndex({ cluster, body: null })
      const request = { query: 'x', tokens: ada, size: 1, from: 0 }
      await assert.rejects(none.destination.search.query(request, signal), {
        code: 'destination_index_missing',
      })
      await assert.rejects(none.destination.search.query({ ...request, vector: [1] }, signal), {
        code: 'destination_index_missing',
      })
    })
  })
}
