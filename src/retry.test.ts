import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { backoffMs, parseRetryAfter } from './retry.ts'

describe('backoffMs', () => {
  const full = (attempt: number) => backoffMs({ firstMs: 500, maxMs: 30_000 }, attempt, () => 1)

  test('it doubles up to its limit', () => {
    assert.deepEqual([full(1), full(2), full(20)], [500, 1000, 30_000])
  })

  test('it waits at least half of the full delay', () => {
    const half = backoffMs({ firstMs: 500 }, 1, () => 0)
    assert.equal(half, 250)
  })

  test('it accepts another jitter', () => {
    const waits = [0, 1].map((random) => backoffMs({ firstMs: 500, jitter: [1, 1.5] }, 2, () => random))
    assert.deepEqual(waits, [1000, 1500])
  })
})

test('it reads seconds and HTTP dates of Retry-After, and nothing else', () => {
  const now = Date.parse('2026-01-01T00:50:00Z')
  const cases: [string | null, number | null][] = [
    ['5', 5_000],
    [' 0.25 ', 250],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:50:10 GMT', 10_000],
    ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
    ['-7', null],
    ['soon', null],
    ['', null],
    [null, null],
  ]
  for (const [value, expected] of cases) assert.equal(parseRetryAfter(value, now), expected, String(value))
})
