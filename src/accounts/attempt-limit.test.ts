import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryCounts } from '../store/counts/memory-counts.ts'
import { createAttemptLimit } from './attempt-limit.ts'

test('allows the maximum and then returns the time to wait', async () => {
  const limit = createAttemptLimit(memoryCounts(), { name: 'test', max: 3, windowMs: 60_000 })
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => limit.begin('a'))), [0, 0, 0])
  const seconds = await limit.begin('a')
  assert.ok(seconds > 0 && seconds <= 60, String(seconds))
  assert.equal(await limit.begin('b'), 0)
})

test('does not count successes, and starts again after a reset', async () => {
  const limit = createAttemptLimit(memoryCounts(), { name: 'test', max: 1, windowMs: 60_000 })
  assert.equal(await limit.begin('a'), 0)
  await limit.undo('a')
  assert.equal(await limit.begin('a'), 0)
  assert.ok((await limit.begin('a')) > 0)
  await limit.reset('a')
  assert.equal(await limit.begin('a'), 0)
})
