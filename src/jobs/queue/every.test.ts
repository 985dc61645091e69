import assert from 'node:assert/strict'
import { test } from 'node:test'
import { every } from './every.ts'

test('it never runs the work twice at the same time, and stopping waits for it', async () => {
  const begun: (() => void)[] = []
  const log = { error: () => assert.fail() }
  const { promise: twice, resolve } = Promise.withResolvers<void>()
  const stop = every(
    1,
    () =>
      new Promise((done) => {
        begun.push(done)
        if (begun.length === 2) resolve()
      }),
    log,
  )
  // The timer itself does not keep a process alive.
  const alive = setInterval(() => {
    if (begun.length === 1) setTimeout(() => begun[0]?.(), 20)
  }, 5)
  await twice
  assert.equal(begun.length, 2)
  const stopping = stop()
  begun[1]?.()
  await stopping
  clearInterval(alive)
  assert.equal(begun.length, 2)
})
