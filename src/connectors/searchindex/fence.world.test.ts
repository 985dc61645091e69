import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { preparedIndex } from '../../../test/world/search-engine/behind-proxy.ts'
import { CLUSTERS } from '../../../test/world/search-engine/clusters.ts'
import { writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import type { Rejection } from '../destination.ts'

const { signal } = new AbortController()
const RECORD = 'wiki.test/1'
const older = writeItem('a', { text: 'older', access: { c0: ['user:old'] } })
const newer = writeItem('a', { text: 'newer', access: { c0: ['user:new'] } })
const access = (user: string) => [
  { recordId: RECORD, elementIds: ['a'], dataSource: { access: { c0: [`user:${user}`] } } },
]
const gone = [{ recordId: RECORD, elementIds: ['a'] }]

for (const cluster of CLUSTERS) {
  describe(`a late operation in ${cluster.name}`, () => {
    test('is refused as superseded and changes nothing, as a write', async () => {
      await using index = await preparedIndex(null, cluster)
      assert.deepEqual(await index.destination.write([newer], 8, signal), [])
      const before = await index.source(RECORD, 'a')
      isSuperseded(await index.destination.write([older, writeItem('b')], 7, signal))
      assert.deepEqual(await index.source(RECORD, 'a'), before)
      assert.ok(await index.source(RECORD, 'b'), 'others are not held back by it')
    })

    test('is refused as superseded and changes nothing, as an update of access', async () => {
      await using index = await preparedIndex(null, cluster)
      await index.destination.write([newer], 8, signal)
      const before = await index.source(RECORD, 'a')
      isSuperseded(await index.destination.updateAccess(access('late'), 7, signal))
      assert.deepEqual(await index.source(RECORD, 'a'), before)
    })

    test('loses against an update of access too, as a write', async () => {
      await using index = await preparedIndex(null, cluster)
      await index.destination.write([older], 7, signal)
      assert.deepEqual(await index.destination.updateAccess(access('new'), 9, signal), [])
      const before = await index.source(RECORD, 'a')
      isSuperseded(await index.destination.write([older], 8, signal))
      assert.deepEqual(await index.source(RECORD, 'a'), before)
    })

    test('leaves the newer element without an error, as a removal', async () => {
      await using index = await preparedIndex(null, cluster)
      await index.destination.write([newer], 8, signal)
      await index.destination.remove(gone, 7, signal)
      assert.equal((await index.source(RECORD, 'a'))?.text, 'newer')
    })

    test('does not restore an element that was removed', async () => {
      await using index = await preparedIndex(null, cluster)
      await index.destination.write([older], 7, signal)
      await index.destination.remove(gone, 9, signal)
      isSuperseded(await index.destination.write([older], 8, signal))
      const rejections = await index.destination.updateAccess(access('late'), 8, signal)
      assert.equal(rejections[0]?.kind, 'missing')
      assert.equal(await index.count(), 0)
    })

    test('is refused after the removal of a missing element too', async () => {
      await using index = await preparedIndex(null, cluster)
      await index.destination.remove(gone, 9, signal)
      isSuperseded(await index.destination.write([older], 8, signal))
      assert.equal(await index.count(), 0)
    })
  })

  describe(`a repeated operation under the same fence in ${cluster.name}`, () => {
    test('succeeds and changes nothing', async () => {
      await using index = await preparedIndex(null, cluster)
      for (let time = 0; time < 2; time++) {
        assert.deepEqual(await index.destination.write([newer], 8, signal), [])
        assert.deepEqual(await index.destination.updateAccess(access('new'), 8, signal), [])
      }
      const source = await index.source(RECORD, 'a')
      assert.equal(source?.text, 'newer')
      assert.deepEqual(
        (source?.metadata as { data_source?: object } | undefined)?.data_source,
        access('new')[0]?.dataSource,
      )
      for (let time = 0; time < 2; time++) await index.destination.remove(gone, 8, signal)
      assert.equal(await index.count(), 0)
      assert.deepEqual(await index.destination.write([newer], 8, signal), [], 'a restarted task')
      assert.equal(await index.count(), 1)
    })
  })
}

function isSuperseded(rejections: Rejection[]): void {
  assert.deepEqual(
    rejections.map(({ recordId, elementId, kind, error }) => [recordId, elementId, kind, error.code]),
    [[RECORD, 'a', 'superseded', 'destination_rejected']],
  )
}
