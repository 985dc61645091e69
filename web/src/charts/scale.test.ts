import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ticksTo } from './scale.ts'

describe('the ticks of a chart', () => {
  test('are round and reach the highest value', () => {
    assert.deepEqual(ticksTo(13), [0, 5, 10, 15])
    assert.deepEqual(ticksTo(100), [0, 50, 100])
    assert.deepEqual(ticksTo(0.3), [0, 0.1, 0.2, 0.3])
    assert.deepEqual(ticksTo(7), [0, 5, 10])
  })

  test('exist without data', () => {
    assert.deepEqual(ticksTo(0), [0, 1])
    assert.deepEqual(ticksTo(Number.NaN), [0, 1])
  })
})
