import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Counts } from '../types.ts'
import { addsUp, durationMs, rateText } from './job-numbers.ts'

const counts: Counts = {
  discovered: 10,
  new: 4,
  changed: 3,
  unchanged: 1,
  skipped: 1,
  failed: 1,
  removed: 7,
  permissions_only: 2,
}

describe('the numbers of a job', () => {
  test('have durations in milliseconds', () => {
    assert.equal(durationMs('PT12.3S'), 12_300)
    assert.equal(durationMs('PT1H2M3S'), 3_723_000)
    assert.equal(durationMs('PT0.0S'), 0)
    assert.equal(durationMs(null), null)
    assert.equal(durationMs('soon'), null)
  })

  test('add up without removed documents, and count permissions as changes', () => {
    assert.equal(addsUp(counts), true)
    assert.equal(addsUp({ ...counts, failed: 2 }), false)
  })

  test('have rates with two significant digits', () => {
    assert.deepEqual([0, 0.417, 3.72, 48.4].map(rateText), ['0', '0.42', '3.7', '48'])
  })
})
