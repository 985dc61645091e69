import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  behindProxy,
  bulkRequests,
  preparedIndex,
} from '../../../../test/world/search-engine/behind-proxy.ts'
import { CLUSTERS } from '../../../../test/world/search-engine/clusters.ts'
import type { FaultProxy, ProxiedRequest } from '../../../../test/world/search-engine/fault-proxy.ts'
import { freshIndex, writeItem } from '../../../../test/world/search-engine/fresh-index.ts'

const { signal } = new AbortController()
let fence = 0
const RECORD = 'wiki.test/1'
const dataSource = { version: '3', access: { c0: ['user:y'] } }
const SIGNED = { 'x-elastic-product': 'Elasticsearch' }
const ids = (count: number) => Array.from({ length: count }, (_, i) => `e${i}`)

for (const cluster of CLUSTERS) {
  describe(`updating access in ${cluster.name}`, () => {
    test('replaces the whole data_source and leaves text and vectors equal to the bit', async () => {
      await using index = await preparedIndex(384, cluster)
      // Embedders return 32-bit floats, which have up to 20 digits as text.
      const embeddings = Array.from(Float32Array.from({ length: 384 }, () => Math.random() - 0.5))
      embeddings.splice(0, 3, 1e-7, 0.30000001, -1)
      const item = writeItem('a', { embeddings, access: { c0: ['group:g'], c3: ['user:x'] } })
      await index.destination.write([item], ++fence, signal)
      const before = await index.source(RECORD, 'a')
      assert.deepEqual(await update(index, ['a']), [])
      const after: Record<string, unknown> | undefined = await index.source(RECORD, 'a')
      const metadata = { ...item.element.metadata, data_source: dataSource }
      assert.equal(JSON.stringify(after?.embeddings), JSON.stringify(embeddings))
      assert.deepEqual(after, { ...before, metadata })
    })

    test('rejects missing elements and updates the others, over several batches', async () => {
      await using world = await behindProxy({ cluster })
      const all = ids(300)
      const absent = all.filter((_, i) => i % 50 === 7)
      const there = all.filter((id) => !absent.includes(id)).map((id) => writeItem(id))
      await world.index.destination.write(there, ++fence, signal)
      const rejections = await update(world.index, all)
      assert.deepEqual(rejections.map(({ elementId }) => elementId).sort(), absent.sort())
      for (const { error } of rejections) {
        assert.equal(error.code, 'destination_rejected')
        assert.match(error.message, /document_missing/)
      }
      assert.equal(requestsTo(world.proxy).length, 2)
      assert.equal(await world.index.count(), 294)
      for (const id of ['e0', 'e249', 'e250', 'e299']) {
        const source = await world.index.source(RECORD, id)
        assert.deepEqual(dataSourceIn(source), dataSource)
      }
    })

    test('retries only the items that the overloaded cluster refused', async () => {
      await using world = await behindProxy({ cluster })
      await world.index.destination.write([writeItem('e0'), writeItem('e1')], ++fence, signal)
      let calls = 0
      const full = { index: { status: 429, error: { type: 'es_rejected_execution_exception' } } }
      world.proxy.on(({ path }) =>
        path.includes('_bulk') && ++calls === 1
          ? { answer: (items) => void items.splice(1, 1, full) }
          : undefined,
      )
      assert.deepEqual(await update(world.index, ['e0', 'e1']), [])
      assert.deepEqual(
        bulkRequests(world.proxy).map(({ body }) => body.trim().split('\n').length / 2),
        [2, 2, 1],
      )
    })

    test('updates an element that is larger than a batch', async () => {
      await using world = await behindProxy({ cluster })
      const image_base64 = 'A'.repeat(5_500_000)
      const huge = writeItem('e1')
      huge.element.metadata.image_base64 = image_base64
      const items = [writeItem('e0'), huge, writeItem('e2')]
      assert.deepEqual(await world.index.destination.write(items, ++fence, signal), [])
      assert.deepEqual(await update(world.index, ids(3)), [])
      const after = await world.index.source(RECORD, 'e1')
      assert.deepEqual(after?.metadata, { ...huge.element.metadata, data_source: dataSource })
    })

    test('reads smaller batches if one response cannot hold them', async () => {
      await using world = await behindProxy({ cluster })
      await world.index.destination.write(
        ids(4).map((id) => writeItem(id)),
        ++fence,
        signal,
      )
      await update(world.index, ['e0'])
      const asks = ({ body }: ProxiedRequest) => (JSON.parse(body) as { ids: string[] }).ids.length
      const tooMuch = { status: 200, headers: SIGNED, body: { docs: [], more: 'x'.repeat(65_000_000) } }
      world.proxy.on((passing) => (passing.path.includes('_mget') && asks(passing) > 1 ? tooMuch : undefined))
      assert.deepEqual(await update(world.index, ids(3)), [])
      assert.deepEqual(requestsTo(world.proxy).map(asks), [1, 3, 2, 1, 1, 1])
      world.proxy.on(({ path }) => (path.includes('_mget') ? tooMuch : undefined))
      const [rejection] = await update(world.index, ['e3'])
      assert.match(rejection?.error.message ?? '', /e3 .* too large/)
    })

    test('does not treat an unavailable shard as missing elements', async () => {
      await using world = await behindProxy({ cluster })
      await world.index.destination.write([writeItem('e0')], ++fence, signal)
      const error = { type: 'no_shard_available_action_exception', reason: 'No shard available' }
      world.proxy.on(({ path }) =>
        path.includes('_mget')
          ? { status: 200, headers: SIGNED, body: { docs: [{ _id: 'x', error }] } }
          : undefined,
      )
      await assert.rejects(update(world.index, ['e0']), { code: 'destination_overloaded' })
    })

    test('reports a missing index if it is deleted before the read', async () => {
      await using world = await behindProxy({ cluster })
      const { name, engine } = world.index
      await world.index.destination.write([writeItem('e0')], ++fence, signal)
      world.proxy.on(async ({ path }) => {
        if (path.includes('_mget')) await engine.adminFetch(`/${name}`, { method: 'DELETE' })
        return undefined
      })
      await assert.rejects(update(world.index, ['e0']), { code: 'destination_index_missing' })
    })

    test('works through an alias with one write index', async () => {
      await using index = await freshIndex({ cluster, kind: 'alias', extraIndex: true })
      await index.destination.prepare({ dims: null }, signal)
      assert.deepEqual(await index.destination.write([writeItem('e0')], ++fence, signal), [])
      assert.deepEqual(await update(index, ['e0']), [])
      assert.equal(await index.count(), 1)
    })
  })

  describe(`a batch in ${cluster.name}`, () => {
    test('holds no more operations than a node can process in time', async () => {
      await using world = await behindProxy({ cluster })
      const elements = [{ recordId: RECORD, elementIds: ids(1200) }]
      await world.index.destination.remove(elements, ++fence, signal)
      const operations = bulkRequests(world.proxy).map(({ body }) => body.trim().split('\n').length)
      assert.deepEqual(operations.sort(), [1000, 200])
    })
  })
}

function update(
  { destination }: Pick<Awaited<ReturnType<typeof preparedIndex>>, 'destination'>,
  elementIds: string[],
) {
  return destination.updateAccess([{ recordId: RECORD, elementIds, dataSource }], ++fence, signal)
}

function requestsTo(proxy: FaultProxy) {
  // This version does not know the parameter, and is read again without.
  return proxy.seen.filter(({ path }) => path.includes('_mget') && !path.includes('_source_exclude_vectors'))
}

function dataSourceIn(source: Record<string, unknown> | undefined): unknown {
  return (source?.metadata as { data_source?: unknown } | undefined)?.data_source
}
