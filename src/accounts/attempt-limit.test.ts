import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAttemptLimit } from './attempt-limit.ts'

test('allows the maximum and then returns the time to wait', () => {
  const limit = createAttemptLimit({ max: 3, windowMs: 60_000 })
  assert.deepEqual(
    [1, 2, 3].map(() => limit.begin('a')),
    [0, 0, 0],
  )
  const seconds = limit.begin('a')
  assert.ok(seconds > 0 && seconds <= 60, String(seconds))
  assert.equal(limit.begin('b'), 0)
})

test('does not count successes, and starts again after a reset', () => {
  const limit = createAttemptLimit({ max: 1, windowMs: 60_000 })
  assert.equal(limit.begin('a'), 0)
  limit.undo('a')
  assert.equal(limit.begin('a'), 0)
  assert.ok(limit.begin('a') > 0)
  limit.reset('a')
  assert.equal(limit.begin('a'), 0)
})
