import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throttled } from './throttle.ts'

test('a throttle shows the first value at once, then the last of each interval', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const shown: number[] = []
  const update = throttled((value: number) => shown.push(value), 1000)
  for (const value of [1, 2, 3]) update(value)
  assert.deepEqual(shown, [1])
  mock.timers.tick(1000)
  assert.deepEqual(shown, [1, 3])
  update(4)
  assert.deepEqual(shown, [1, 3])
  update.flush()
  assert.deepEqual(shown, [1, 3, 4])
  mock.timers.tick(5000)
  assert.deepEqual(shown, [1, 3, 4])
  update(5)
  assert.deepEqual(shown, [1, 3, 4, 5])
  update(6)
  update.stop()
  mock.timers.tick(5000)
  assert.deepEqual(shown, [1, 3, 4, 5])
})
