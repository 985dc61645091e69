import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortRows } from './rows.ts'

const rows = [
  { n: 10, t: 'run 10' },
  { n: null, t: null },
  { n: 9, t: 'Run 9' },
]
const texts = (sorted: typeof rows) => sorted.map(({ t }) => t)

test('sorts numbers by value, with empty values last in both directions', () => {
  assert.deepEqual(texts(sortRows(rows, ({ n }) => n, 'ascending')), ['Run 9', 'run 10', null])
  assert.deepEqual(texts(sortRows(rows, ({ n }) => n, 'descending')), ['run 10', 'Run 9', null])
})

test('sorts text naturally: 9 before 10, ignoring case', () => {
  assert.deepEqual(texts(sortRows(rows, ({ t }) => t, 'ascending')), ['Run 9', 'run 10', null])
})

test('keeps the order of an unsortable column and never changes its input', () => {
  assert.equal(sortRows(rows, undefined), rows)
  sortRows(rows, ({ n }) => n)
  assert.equal(rows[0]?.n, 10)
})
