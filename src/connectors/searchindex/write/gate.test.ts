import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createBulkLimits } from './gate.ts'

const { signal } = new AbortController()

describe('the limits of bulk requests', () => {
  test('raise concurrency while all is accepted, halve it on refusal, and raise it again', () => {
    const gate = createBulkLimits()
    const climb = (requests: number) => {
      for (let i = 0; i < requests; i++) gate.acceptedAll(100)
      return gate.concurrency
    }
    assert.equal(gate.concurrency, 2)
    assert.equal(climb(30), 6)
    gate.refused()
    assert.equal(gate.concurrency, 3)
    gate.refused()
    gate.refused()
    assert.equal(gate.concurrency, 1, 'never none at all')
    assert.equal(climb(3), 3)
    assert.equal(climb(30), 6)
  })

  test('find a size between 5 and 15 MB, and less where the cluster is slow or refuses', () => {
    const gate = createBulkLimits()
    assert.equal(gate.bytes, 5_000_000)
    for (let i = 0; i < 20; i++) gate.acceptedAll(100)
    assert.equal(gate.bytes, 15_000_000)
    gate.acceptedAll(2000)
    assert.equal(gate.bytes, 15_000_000, 'neither quick nor slow')
    gate.acceptedAll(9000)
    assert.equal(gate.bytes, 12_000_000)
    for (let i = 0; i < 20; i++) gate.refused()
    assert.equal(gate.bytes, 1_000_000)
  })

  test('never return to a size that was too large', () => {
    const gate = createBulkLimits()
    gate.tooLarge(6_000_000)
    for (let i = 0; i < 50; i++) gate.acceptedAll(10)
    assert.equal(gate.bytes, 3_000_000)
  })

  test('queue excess requests in order until one leaves', async () => {
    const gate = createBulkLimits()
    const entered: number[] = []
    const all = [0, 1, 2, 3].map((number) => gate.enter(signal).then(() => entered.push(number)))
    await all[1]
    assert.deepEqual(entered, [0, 1])
    gate.leave()
    await all[2]
    gate.refused()
    gate.leave()
    await new Promise(setImmediate)
    assert.deepEqual(entered, [0, 1, 2], 'one was inside, and one is as many as it lets in now')
    gate.leave()
    await all[3]
  })

  test('stop waiting when aborted', async () => {
    const gate = createBulkLimits()
    await gate.enter(signal)
    await gate.enter(signal)
    const stop = new AbortController()
    const third = gate.enter(stop.signal)
    stop.abort(new Error('enough'))
    await assert.rejects(third, { message: 'enough' })
    const fourth = gate.enter(signal)
    gate.leave()
    await fourth
    await assert.rejects(gate.enter(stop.signal), { message: 'enough' })
  })
})
