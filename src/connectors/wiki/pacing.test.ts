import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { askedWaitMs, backoffMs, createPace } from './pacing.ts'

describe('askedWaitMs', () => {
  test('reads Retry-After seconds', () => {
    assert.equal(askedWaitMs(new Headers({ 'retry-after': '5' }), 0), 5000)
  })
  test('reads Retry-After as an HTTP date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    const headers = new Headers({ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' })
    assert.equal(askedWaitMs(headers, now), 10_000)
  })
  test('reads X-RateLimit-Reset without seconds', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    const headers = new Headers({ 'x-ratelimit-reset': '2026-01-01T00:01Z' })
    assert.equal(askedWaitMs(headers, now), 60_000)
  })
  test('is null without either header', () => {
    assert.equal(askedWaitMs(new Headers(), 0), null)
  })
})

describe('backoffMs', () => {
  test('grows, and stays within its cap', () => {
    const first = backoffMs(1, 500, () => 1)
    const second = backoffMs(2, 500, () => 1)
    assert.ok(second > first)
    assert.ok(backoffMs(20, 500, () => 1) <= 30_000)
  })
  test('is never negative', () => {
    assert.ok(backoffMs(1, 500, () => 0) >= 0)
  })
})

describe('createPace', () => {
  test('starts at 4 and halves on each refusal, never below 1', async () => {
    let clock = 0
    const pace = createPace(() => clock)
    assert.equal(pace.limit, 4)
    for (const expected of [2, 1, 1]) {
      clock += 1000
      const turn = await pace.enter(new AbortController().signal)
      turn.throttled(0)
      turn.leave()
      assert.equal(pace.limit, expected)
    }
  })
  test('takes refusals of requests that were under way together for one', async () => {
    let clock = 0
    const pace = createPace(() => clock)
    const { signal } = new AbortController()
    const turns = await Promise.all([pace.enter(signal), pace.enter(signal), pace.enter(signal)])
    clock = 10
    for (const turn of turns) turn.throttled(0)
    assert.equal(pace.limit, 2)
  })
  test('lets no more in than the limit, and the next one when somebody leaves', async () => {
    const pace = createPace()
    const { signal } = new AbortController()
    const turns = await Promise.all([1, 2, 3, 4].map(() => pace.enter(signal)))
    let entered = false
    const fifth = pace.enter(signal).then(() => {
      entered = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(entered, false)
    turns[0]!.leave()
    await fifth
    assert.equal(entered, true)
  })
  test('never goes above 8', async () => {
    const pace = createPace()
    for (let i = 0; i < 200; i++) {
      const turn = await pace.enter(new AbortController().signal)
      turn.wentWell()
      turn.leave()
    }
    assert.equal(pace.limit, 8)
  })
  test('grows by less than one each success', async () => {
    const pace = createPace()
    const before = pace.limit
    const controller = new AbortController()
    const turn = await pace.enter(controller.signal)
    turn.wentWell()
    turn.leave()
    assert.ok(pace.limit > before)
    assert.ok(pace.limit < before + 1)
  })
  test('rejects an enter whose signal is already aborted', async () => {
    const pace = createPace()
    const controller = new AbortController()
    controller.abort()
    await assert.rejects(pace.enter(controller.signal))
  })
})
