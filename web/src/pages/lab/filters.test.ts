import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenOf, filtersOf, toggled } from './filters.ts'

test('it sends only the filters that are set', () => {
  assert.equal(filtersOf({ query: 'water', labels: ' , ' }), undefined)
  assert.deepEqual(
    filtersOf({ space: 'ENG, OPS', labels: 'a', below: '12', from: '2026-01-01', until: '2026-01-31' }),
    {
      space_key: ['ENG', 'OPS'],
      labels: ['a'],
      ancestors: ['12'],
      modified: { gte: '2026-01-01', lte: '2026-01-31' },
    },
  )
})

test('it adds and removes values of a facet', () => {
  assert.deepEqual(toggled('space_key', 'ENG', {}), { space: 'ENG' })
  assert.deepEqual(toggled('space_key', 'OPS', { space: 'ENG' }), { space: 'ENG, OPS' })
  assert.deepEqual(toggled('filetype', 'text/html', { filetype: 'text/html' }), { filetype: undefined })
})

test('it narrows to all days of a month', () => {
  const february = { from: '2028-02-01', until: '2028-02-29' }
  assert.deepEqual(toggled('modified', '2028-02', {}), february)
  assert.deepEqual(chosenOf('modified', february), ['2028-02'])
  assert.deepEqual(chosenOf('modified', { from: '2028-02-01' }), [])
  assert.deepEqual(toggled('modified', '2028-02', february), { from: undefined, until: undefined })
})
