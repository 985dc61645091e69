import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CLUSTERS } from '../../../test/world/search-engine/clusters.ts'
import { freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { nest, PERMISSION_FIELDS } from './schema/schema.ts'

const { signal } = new AbortController()
let fence = 0

for (const cluster of CLUSTERS) {
  describe(`preparing an index in ${cluster.name}`, () => {
    test('gives an empty index the schema, once', async () => {
      await using index = await freshIndex({ cluster })
      assert.equal(await index.destination.search.dims(signal), null)
      await index.destination.prepare({ dims: 4 }, signal)
      const first = await index.mapping()
      await index.destination.prepare({ dims: 4 }, signal)
      assert.deepEqual(await index.mapping(), first)
      assert.equal(await index.destination.search.dims(signal), 4)
      assert.deepEqual(
        await index.destination.write([writeItem('a', { embeddings: [1, 0, 0, 1] })], ++fence, signal),
        [],
      )
      await index.refresh()
      assert.deepEqual(await index.mapping(), first, 'a document adds no field of its own')
    })

    test('accepts another schema and adds the permission fields as keywords', async () => {
      const properties = {
        record_id: { type: 'text' },
        text: { type: 'text' },
        embeddings: cluster.vectors(4),
        metadata: { properties: { parent_id: { type: 'text' } } },
      }
      await using index = await freshIndex({ cluster, body: { mappings: { properties } } })
      await index.destination.prepare({ dims: 4 }, signal)
      const mapping = JSON.stringify(await index.mapping())
      assert.match(mapping, /"c7":\{"type":"keyword"\}/)
      assert.match(mapping, /"access_classes":\{"type":"keyword"\}/)
      assert.match(mapping, /"record_id":\{"type":"text"\}/)
      // Without a mapping of its own the first title would be taken for a date, and the second refused.
      const titles = ['2026-11-15', 'Sluices'].map((title) => writeItem(title, { more: { title } }))
      assert.deepEqual(await index.destination.write(titles, ++fence, signal), [])
    })

    test('refuses an index that does not fit before writing', async () => {
      const vectors = { embeddings: cluster.vectors(8) }
      await using narrow = await freshIndex({ cluster, body: { mappings: { properties: vectors } } })
      const width = { code: 'destination_schema', message: /8 dimensions, the workflow creates 4/ }
      await assert.rejects(narrow.destination.prepare({ dims: 4 }, signal), width)
      const strict = { dynamic: 'strict', properties: { text: { type: 'text' } } }
      await using closed = await freshIndex({ cluster, body: { mappings: strict } })
      await assert.rejects(closed.destination.prepare({ dims: null }, signal), {
        code: 'destination_schema',
        message: /strict/,
      })
      if (cluster.name === 'Elasticsearch') {
        const settings = { ...cluster.settings, 'index.mapping.source.mode': 'synthetic' }
        await using synthetic = await freshIndex({ cluster, body: { settings } })
        await assert.rejects(synthetic.destination.prepare({ dims: null }, signal), {
          code: 'destination_schema',
          message: /_source is synthetic/,
        })
        assert.match((await synthetic.destination.check(signal)).reason ?? '', /_source is synthetic/)
      }
      await using none = await freshIndex({ cluster, body: null })
      const missing = { code: 'destination_index_missing', fix: /curl -X PUT/ }
      await assert.rejects(none.destination.prepare({ dims: null }, signal), missing)
    })

    test('does not change a complete index if the key may not manage it', async () => {
      const mappings = { properties: nest(PERMISSION_FIELDS) }
      await using index = await freshIndex({
        cluster,
        body: { mappings },
        privileges: ['read', 'write', 'view_index_metadata'],
      })
      await index.destination.prepare({ dims: null }, signal)
      assert.deepEqual(await index.destination.write([writeItem('a')], ++fence, signal), [])
      assert.equal(await index.count(), 1)
    })
  })
}
