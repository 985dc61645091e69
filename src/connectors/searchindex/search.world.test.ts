import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { COMPOUND_CASES, LANGUAGE_CASES, languageCases } from '../../../test/contract/language-cases.ts'
import { type SearchUnderTest, searchCases } from '../../../test/contract/search-cases.ts'
import { CLUSTERS } from '../../../test/world/search-engine/clusters.ts'
import { type FreshIndex, freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { searchHits } from '../../../test/world/search-hits.ts'
import type { SearchFilters } from '../search.ts'

const { signal } = new AbortController()
let fence = 0
const EVERYBODY = 'class:anonymous-users'
const visitor = [EVERYBODY]

for (const cluster of CLUSTERS) {
  describe(`searching as a person in ${cluster.name}`, () => {
    const fresh = async (body?: object): Promise<FreshIndex & SearchUnderTest> => {
      const index = await freshIndex({ cluster, ...(body ? { body } : {}) })
      return {
        ...index,
        async runNative({ dialect, request, sql }) {
          assert.deepEqual([dialect, sql], [cluster.name.toLowerCase(), null])
          const { path, method, body } = request!
          const response = await index.engine.adminFetch(path, { method, body })
          assert.ok(response.ok)
          const { hits } = (await response.json()) as {
            hits: { hits: { _source: { element_id: string } }[] }
          }
          return hits.hits.map(({ _source }) => _source.element_id)
        },
      }
    }
    searchCases(fresh)

    describe('with record_id as plain text', () => {
      const body = { settings: cluster.settings, mappings: { properties: { record_id: { type: 'text' } } } }
      searchCases(() => fresh(body))

      test('tells records apart whose ids have the same words', async () => {
        await using index = await fresh(body)
        await index.destination.prepare({ dims: null }, signal)
        const more = { ancestors: [{ id: '7', title: 'Home' }] }
        const items = ['wiki.test/1', 'acme-wiki.test/1', 'wiki.test/12', 'WIKI.test/1'].map((recordId) => ({
          ...writeItem(recordId, { access: { c0: [EVERYBODY] }, more }),
          recordId,
        }))
        await index.destination.write(items, ++fence, signal)
        await index.refresh()
        const cases: [SearchFilters, string[]][] = [
          [{ record_id: ['wiki.test/1'] }, ['wiki.test/1']],
          [{ record_id: ['wiki.test/12', 'acme-wiki.test/1'] }, ['acme-wiki.test/1', 'wiki.test/12']],
          [{ ancestors: ['wiki.test/7'] }, ['wiki.test/1', 'wiki.test/12']],
          [{ ancestors: ['7'] }, ['WIKI.test/1', 'acme-wiki.test/1', 'wiki.test/1', 'wiki.test/12']],
        ]
        for (const [filters, expected] of cases) {
          const request = { query: '', tokens: visitor, depth: 9, filters }
          const { total, ranked } = await index.destination.search.rank(request, signal)
          assert.deepEqual([total, ranked.map((each) => each.record_id).sort()], [expected.length, expected])
        }
      })
    })

    describe('in an index with the whole schema', () => {
      languageCases(async () => {
        const index = await freshIndex({ cluster, body: null })
        await index.destination.create.run({ dims: null }, signal)
        await index.destination.prepare({ dims: null }, signal)
        return { ...index, runNative: async () => [] }
      }, [...LANGUAGE_CASES, ...COMPOUND_CASES])
    })

    test('knows the record of each element if the schema has no keyword of it', async () => {
      for (const recordId of [{ type: 'keyword' }, { type: 'text' }]) {
        const body = { settings: cluster.settings, mappings: { properties: { record_id: recordId } } }
        await using old = await freshIndex({ cluster, body })
        await old.destination.prepare({ dims: null }, signal)
        await old.destination.write([writeItem('a', { access: { c0: [EVERYBODY] } })], ++fence, signal)
        await old.refresh()
        const { ranked } = await old.destination.search.rank({ query: '', tokens: visitor, depth: 5 }, signal)
        assert.deepEqual(
          ranked.map(({ record_id: id }) => id),
          ['wiki.test/1'],
        )
      }
    })

    test('takes the floor as a cosine, however the index compares vectors', async () => {
      const isElastic = cluster.name === 'Elasticsearch'
      for (const space of isElastic
        ? ['dot_product', 'l2_norm', 'max_inner_product']
        : ['l2', 'innerproduct']) {
        const embeddings = isElastic
          ? { type: 'dense_vector', dims: 2, index: true, similarity: space }
          : {
              type: 'knn_vector',
              dimension: 2,
              method: { name: 'hnsw', engine: 'lucene', space_type: space },
            }
        const body = { settings: cluster.settings, mappings: { properties: { embeddings } } }
        await using index = await fresh(body)
        await index.destination.prepare({ dims: 2 }, signal)
        const cosines = { near: 0.8, far: 0.2, apart: -0.6 }
        const items = Object.entries(cosines).map(([id, cosine]) => {
          const vector = [cosine, Math.sqrt(1 - cosine ** 2)]
          return writeItem(id, { access: { c0: [EVERYBODY] }, embeddings: vector })
        })
        await index.destination.write(items, ++fence, signal)
        await index.refresh()
        for (const [floor, expected] of [
          [0.5, ['near']],
          [0, ['far', 'near']],
          [-0.2, ['far', 'near']],
          [0.95, []],
        ] as const) {
          const request = { query: 'zzxxqq', tokens: visitor, vector: [1, 0], floor, size: 5, from: 0 }
          const { hits } = await searchHits(index.destination.search, request, signal)
          assert.deepEqual(hits.map((hit) => hit.element_id).sort(), expected, `${space} ${floor}`)
          const native = await index.destination.search.native!(request, signal)
          assert.deepEqual((await index.runNative(native)).sort(), expected, `${space} ${floor} itself`)
        }
      }
    })

    test('says that the index is missing', async () => {
      await using none = await freshIndex({ cluster, body: null })
      const request = { query: 'x', tokens: visitor, size: 1, from: 0 }
      await assert.rejects(searchHits(none.destination.search, request, signal), {
        code: 'destination_index_missing',
      })
      await assert.rejects(searchHits(none.destination.search, { ...request, vector: [1] }, signal), {
        code: 'destination_index_missing',
      })
    })
  })
}
