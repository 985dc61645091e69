import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ELASTICSEARCH, OPENSEARCH } from '../../../test/world/search-engine/clusters.ts'
import { freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { searchHits } from '../../../test/world/search-hits.ts'

const { signal } = new AbortController()

for (const cluster of [ELASTICSEARCH, OPENSEARCH])
  for (const kind of ['index', 'alias'] as const)
    test(`it is found by no search and ${kind === 'index' ? 'fits a strict mapping' : 'is written through an alias'} (${cluster === OPENSEARCH ? 'OpenSearch' : 'Elasticsearch'})`, async () => {
      await using index = await freshIndex({ cluster, kind, body: { mappings: { dynamic: 'strict' } } })
      const { destination } = index
      await destination.prepare({ dims: null }, signal)
      const mapping = await index.mapping()
      const record = { epoch: randomUUID(), fence: 7 }
      assert.equal(await destination.control.write('flow', record, signal), true)
      assert.deepEqual(await destination.control.read('flow', signal), record)
      await destination.write([writeItem('a')], 8, signal)
      await index.refresh()
      assert.deepEqual(await index.mapping(), mapping, 'no field was added')
      const request = { query: '', tokens: ['user:u:1', 'class:anonymous-users'], size: 5, from: 0 }
      const { total, hits } = await searchHits(destination.search, request, signal)
      assert.deepEqual([total, hits.map(({ element_id }) => element_id)], [1, ['a']])
    })
