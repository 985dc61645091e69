import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBodyBatches } from './body-batches.ts'

const bodies = (count: number, length: number) => Array.from({ length: count }, () => 'x'.repeat(length))

test('it reads more short pages together, up to 250', () => {
  const batches = createBodyBatches()
  assert.equal(batches.size(), 50)
  batches.add(bodies(50, 1000))
  assert.equal(batches.size(), 150)
  batches.add(bodies(150, 1000))
  assert.equal(batches.size(), 250)
})

test('it reads few long pages together, at least one', () => {
  const batches = createBodyBatches()
  batches.add(bodies(4, 1_000_000))
  assert.equal(batches.size(), 8)
  batches.add(bodies(1, 20_000_000))
  assert.equal(batches.size(), 1)
  batches.add([])
  assert.equal(batches.size(), 1)
})
