import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { averageRate, throughputPoints } from './throughput-points.ts'

describe('throughput', () => {
  test('includes seconds without results', () => {
    const seconds: number[] = []
    seconds[2] = 4
    assert.deepEqual(
      throughputPoints(seconds, [], 4000).map(({ y }) => y),
      [0, 0, 0, 4, 0],
    )
  })

  test('spreads later samples over the time between them', () => {
    const points = throughputPoints(
      [2],
      [
        { at: 1000, done: 2 },
        { at: 3000, done: 12 },
        { at: 4000, done: 12 },
      ],
      4000,
    )
    assert.deepEqual(
      points.map(({ y }) => y),
      [0, 2, 5, 5, 0],
    )
  })

  test('has wider steps in a longer run, with the same total', () => {
    const seconds = Array.from({ length: 1000 }, () => 3)
    const points = throughputPoints(seconds, [], 1_000_000)
    assert.ok(points.length < 100)
    assert.ok(points.slice(1).every(({ y }) => y === 3))
  })

  test('is empty for less than two seconds', () => {
    assert.deepEqual(throughputPoints([5], [], 900), [])
  })

  test('has an average over the whole run', () => {
    assert.equal(averageRate(30, 15_000), 2)
    assert.equal(averageRate(30, 0), 0)
  })
})
