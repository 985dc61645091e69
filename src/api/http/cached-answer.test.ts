import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedAnswer } from './cached-answer.ts'

test('it reads once for concurrent callers and for a period', async () => {
  let time = 0
  let reads = 0
  const pending: PromiseWithResolvers<number>[] = []
  const answer = cachedAnswer(
    () => {
      reads++
      const next = Promise.withResolvers<number>()
      pending.push(next)
      return next.promise
    },
    { forMs: 1000, now: () => time },
  )
  const first = [answer(), answer()]
  time = 5000
  first.push(answer())
  pending[0]?.resolve(1)
  assert.deepEqual(await Promise.all(first), [1, 1, 1])
  time = 5999
  assert.equal(await answer(), 1)
  assert.equal(reads, 1)
  time = 6000
  const failing = answer()
  pending[1]?.reject(new Error('down'))
  await assert.rejects(failing, /down/)
  const again = answer()
  pending[2]?.resolve(3)
  assert.equal(await again, 3)
  assert.equal(reads, 3)
})
