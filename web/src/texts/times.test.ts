import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duration, exactTime, relativeTime } from './times.ts'

const now = Date.parse('2026-03-10T12:00:00Z')
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString()

for (const [minutes, words] of [
  [-0.5, 'just now'],
  [0.5, 'in a moment'],
  [-3, '3 minutes ago'],
  [-59.9, '59 minutes ago'],
  [-60, '1 hour ago'],
  [125, 'in 2 hours'],
  [-24 * 60, 'yesterday'],
  [-30 * 24 * 60, '30 days ago'],
  [-40 * 24 * 60, 'Jan 29, 2026'],
] as const) {
  test(`formats ${minutes} minutes as "${words}"`, () => assert.equal(relativeTime(at(minutes), now), words))
}

test('shows an invalid time unchanged', () => {
  assert.equal(relativeTime('soon', now), 'soon')
  assert.equal(exactTime('soon'), 'soon')
})

test('names the time zone of an exact time', () => {
  assert.equal(exactTime(at(0), 'UTC'), 'Mar 10, 2026, 12:00:00 UTC')
})

for (const [ms, words] of [
  [850, '850 ms'],
  [12_400, '12 s'],
  [200_000, '3 min 20 s'],
  [180_000, '3 min'],
  [7_500_000, '2 h 5 min'],
] as const) {
  test(`formats ${ms} ms as "${words}"`, () => assert.equal(duration(ms), words))
}
