import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchesWithin } from './batches.ts'
import { elementKey, inventoryPages, keysOf, listedRecord } from './stored-element.ts'

test('it gives an element the same key in every destination', () => {
  assert.equal(elementKey('site/1', 'e1'), '60ee65c599c54affe60dc1e52cd52ec1')
  assert.deepEqual(keysOf([{ recordId: 'site/1', elementIds: ['e1'] }]), [
    { id: elementKey('site/1', 'e1'), recordId: 'site/1', elementId: 'e1' },
  ])
})

test('it lists an element with another key without its record', () => {
  const record = { recordId: 'site/1', elementId: 'e1', scopeKey: 'ENG' }
  assert.deepEqual(listedRecord({ ...record, id: elementKey('site/1', 'e1') }), record)
  assert.deepEqual(listedRecord({ ...record, id: 'other' }), { ...record, recordId: '' })
})

test('it reads an inventory to its last page, and leaves out empty ones', async () => {
  const record = { recordId: 'site/1', elementId: 'e1', scopeKey: '' }
  const pages = { '': [record], a: [], b: [record] }
  const next = { '': 'a', a: 'b', b: null }
  const read = async (cursor: string | null) => {
    const at = (cursor ?? '') as keyof typeof pages
    return { listed: pages[at], next: next[at] }
  }
  assert.deepEqual(await Array.fromAsync(inventoryPages(read)), [[record], [record]])
})

test('it fills batches up to both limits, and leaves a larger item alone', () => {
  const batches = batchesWithin([4, 4, 4, 20, 1, 1, 1, 1], { count: 3, bytes: 10 }, (bytes) => ({
    count: 1,
    bytes,
  }))
  assert.deepEqual(batches, [[4, 4], [4], [20], [1, 1, 1], [1]])
})
