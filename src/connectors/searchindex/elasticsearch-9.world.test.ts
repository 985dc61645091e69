import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ELASTICSEARCH } from '../../../test/world/search-engine/clusters.ts'
import { startElasticsearch9 } from '../../../test/world/search-engine/engine.ts'
import { freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { searchHits } from '../../../test/world/search-hits.ts'
import { NO_ONE_TOKEN } from '../../permissions/principals.ts'

const { signal } = new AbortController()
const RECORD = 'wiki.test/1'

test('it runs a whole job against Elasticsearch 9', async (context) => {
  const engine = await startElasticsearch9({ log: (line) => context.diagnostic(line) })
  if (!engine) {
    context.diagnostic('Elasticsearch 9 was not tried: it needs a JDK 21 or newer, and none was found')
    return context.skip('no JDK 21')
  }
  try {
    const cluster = { ...ELASTICSEARCH, engine: async () => engine }
    await using index = await freshIndex({ cluster })
    const { destination } = index
    const report = await destination.check(signal)
    assert.deepEqual(
      report.steps.map(({ status }) => status),
      ['ok', 'ok', 'ok', 'ok', 'ok'],
    )
    await destination.prepare({ dims: 4 }, signal)
    assert.equal(await destination.search.dims(signal), 4)
    const embeddings = [1, 0.25, 0.5, 0]
    const items = ['a', 'b', 'c'].map((id) => writeItem(id, { embeddings }))
    assert.deepEqual(await destination.write(items, 5, signal), [])
    const late = await destination.write([writeItem('a', { text: 'late' })], 4, signal)
    assert.match(late[0]?.error.message ?? '', /a newer version/)
    const dataSource = { access: { c0: ['group:g'], c1: [NO_ONE_TOKEN] } }
    assert.deepEqual(
      await destination.updateAccess([{ recordId: RECORD, elementIds: ['a'], dataSource }], 6, signal),
      [],
    )
    await destination.remove([{ recordId: RECORD, elementIds: ['b'] }], 6, signal)
    assert.equal(await index.count(), 2)
    const listed = (await Array.fromAsync(destination.inspect.inventory(signal))).flat()
    assert.deepEqual(listed.map(({ elementId }) => elementId).sort(), ['a', 'c'])
    // From 9.2 on reads omit vectors by default, so a rewrite would lose them.
    const path = `/${index.name}/_search`
    const kept = { _source: { exclude_vectors: false }, query: { term: { element_id: 'a' } } }
    const answer = await (await engine.adminFetch(path, { body: kept })).json()
    const [hit] = (answer as { hits: { hits: { _source: { embeddings?: number[] } }[] } }).hits.hits
    assert.deepEqual(hit?._source.embeddings, embeddings)
    const tokens = ['user:u:1', 'group:g']
    for (const more of [{}, { vector: embeddings }]) {
      const found = await searchHits(
        destination.search,
        { query: 'text', tokens, size: 5, from: 0, ...more },
        signal,
      )
      assert.deepEqual(
        [found.total, ...found.hits.map(({ element_id }) => element_id)],
        [1, 'c'],
        'a is closed by its second clause',
      )
    }
    await engine.adminFetch(`/${index.name}`, { method: 'DELETE' })
    await assert.rejects(destination.write(items, 7, signal), { code: 'destination_index_missing' })
  } finally {
    await engine.stop()
  }
})
