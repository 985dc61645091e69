import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findsSummary } from './summary.ts'

const counts = (found: number[], differ: number, isWhole = true) => ({
  people: found.map((each) => ({
    found: each,
    found_relation: isWhole ? ('eq' as const) : ('lte' as const),
  })),
  differ,
  differ_relation: isWhole ? ('eq' as const) : ('gte' as const),
})

test('it says how many documents each person finds and how many differ', () => {
  const people = [{ user: 't' }, { user: 'a' }]
  const names = ['Tom', 'Ann']
  assert.equal(findsSummary(counts([12, 9], 3), people, names), 'Tom finds 12, Ann finds 9; 3 differ')
  assert.equal(findsSummary(counts([2, 1], 1), people, names), 'Tom finds 2, Ann finds 1; 1 differs')
  assert.equal(findsSummary(counts([2, 2], 0), people, names), 'Tom finds 2, Ann finds 2; no difference')
  assert.equal(
    findsSummary(counts([1200, 900], 300, false), people, names),
    'Tom finds about 1,200, Ann finds about 900; at least 300 differ',
  )
})

test('it needs no comparison for one person', () => {
  assert.equal(findsSummary(counts([1], 0), [{ user: 't' }], ['Tom']), 'Tom finds 1 document')
  assert.equal(findsSummary(counts([4], 0), [{}], ['You']), 'You find 4 documents')
})
