import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../../test/world/wiki/model/random.ts'
import { IdSet } from './id-set.ts'

test('it has exactly the ids that were added', () => {
  const random = createRandom(3)
  const idOf = () => {
    const digits = random.int(1, 18)
    return Array.from({ length: digits }, () => random.int(0, 9)).join('')
  }
  const expected = new Set(Array.from({ length: 20_000 }, idOf))
  for (let id = 98_304; id < 150_000; id += 7) expected.add(String(id))
  for (const other of ['att12', '', '0', '0012', '99999999999999999999']) expected.add(other)
  const ids = new IdSet()
  for (const id of [...expected, ...expected]) ids.add(id)
  assert.equal(ids.size, expected.size)
  for (const id of expected) assert.ok(ids.has(id), id)
  for (let i = 0; i < 20_000; i++) {
    const id = idOf()
    assert.equal(ids.has(id), expected.has(id), id)
  }
})
