import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findsSummary } from './summary.ts'

type Counts = { found?: number[]; only: number[]; differ: number; everyone: number; isWhole?: boolean }

const summary = ({ found = [], only, differ, everyone, isWhole = true }: Counts, names: string[]) =>
  findsSummary(
    {
      people: only.map((alone, at) => ({
        found: found[at] ?? 0,
        found_relation: isWhole ? ('eq' as const) : ('lte' as const),
        only: alone,
      })),
      ...{ differ, everyone, differ_relation: isWhole ? ('eq' as const) : ('gte' as const) },
    },
    names.map((user) => (user === 'You' ? {} : { user })),
    names,
  )

test('it counts every document once: of one person, of some, of all', () => {
  const two = { only: [3, 0], differ: 3, everyone: 9 }
  assert.equal(summary(two, ['Tom', 'Ann']), 'Only Tom finds 3, only Ann 0, both 9.')
  assert.equal(
    summary({ ...two, isWhole: false }, ['Tom', 'Ann']),
    'Only Tom finds at least 3, only Ann at least 0, both at least 9.',
  )
  assert.equal(
    summary({ only: [1, 2, 0], differ: 7, everyone: 5 }, ['Tom', 'Ann', 'Bea']),
    'Only Tom finds 1, only Ann 2, only Bea 0, two of them 4, all three 5.',
  )
})

test('it needs no comparison for one person', () => {
  const one = { only: [0], differ: 0, everyone: 1 }
  assert.equal(summary({ ...one, found: [1] }, ['Tom']), 'Tom finds 1 document')
  assert.equal(summary({ ...one, found: [4] }, ['You']), 'You find 4 documents')
  assert.equal(summary({ ...one, found: [1200], isWhole: false }, ['Tom']), 'Tom finds about 1,200')
})
