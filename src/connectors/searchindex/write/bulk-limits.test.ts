import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createBulkLimits } from './bulk-limits.ts'

const { signal } = new AbortController()

describe('the limits of bulk requests', () => {
  test('raise concurrency while all is accepted, halve it on refusal, and raise it again', () => {
    const limits = createBulkLimits()
    const climb = (requests: number) => {
      for (let i = 0; i < requests; i++) limits.acceptedAll(100)
      return limits.concurrency
    }
    assert.equal(limits.concurrency, 2)
    assert.equal(climb(30), 6)
    limits.refused()
    assert.equal(limits.concurrency, 3)
    limits.refused()
    limits.refused()
    assert.equal(limits.concurrency, 1, 'never none at all')
    assert.equal(climb(3), 3)
    assert.equal(climb(30), 6)
  })

  test('shrink requests if the cluster is slow or refuses, and grow them up to 2.5 MB', () => {
    const limits = createBulkLimits()
    assert.equal(limits.bytes, 2_500_000)
    for (let i = 0; i < 20; i++) limits.acceptedAll(100)
    assert.equal(limits.bytes, 2_500_000)
    limits.acceptedAll(2000)
    assert.equal(limits.bytes, 2_500_000, 'neither quick nor slow')
    limits.acceptedAll(9000)
    assert.equal(limits.bytes, 2_000_000)
    for (let i = 0; i < 20; i++) limits.refused()
    assert.equal(limits.bytes, 1_000_000)
    for (let i = 0; i < 20; i++) limits.acceptedAll(100)
    assert.equal(limits.bytes, 2_500_000)
  })

  test('never return to a size that was too large', () => {
    const limits = createBulkLimits()
    limits.tooLarge(3_000_000)
    for (let i = 0; i < 50; i++) limits.acceptedAll(10)
    assert.equal(limits.bytes, 1_500_000)
  })

  test('queue excess requests in order until one leaves', async () => {
    const limits = createBulkLimits()
    const entered: number[] = []
    const all = [0, 1, 2, 3].map((number) => limits.enter(signal).then(() => entered.push(number)))
    await all[1]
    assert.deepEqual(entered, [0, 1])
    limits.leave()
    await all[2]
    limits.refused()
    limits.leave()
    await new Promise(setImmediate)
    assert.deepEqual(entered, [0, 1, 2], 'one was inside, and one is as many as it lets in now')
    limits.leave()
    await all[3]
  })

  test('stop waiting when aborted', async () => {
    const limits = createBulkLimits()
    await limits.enter(signal)
    await limits.enter(signal)
    const stop = new AbortController()
    const third = limits.enter(stop.signal)
    stop.abort(new Error('enough'))
    await assert.rejects(third, { message: 'enough' })
    const fourth = limits.enter(signal)
    limits.leave()
    await fourth
    await assert.rejects(limits.enter(stop.signal), { message: 'enough' })
  })
})
