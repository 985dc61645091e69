import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { COMPOUND_CASES, LANGUAGE_CASES, languageCases } from '../../../test/contract/language-cases.ts'
import { searchCases } from '../../../test/contract/search-cases.ts'
import { CLUSTERS } from '../../../test/world/search-engine/clusters.ts'
import { freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { searchHits } from '../../../test/world/search-hits.ts'

const { signal } = new AbortController()
let fence = 0
const EVERYBODY = 'class:anonymous-users'
const visitor = [EVERYBODY]

for (const cluster of CLUSTERS) {
  describe(`searching as a person in ${cluster.name}`, () => {
    searchCases(async () => {
      const index = await freshIndex({ cluster })
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
