import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder } from './rows.ts'

const rows = [
  { n: 10, t: 'run 10' },
  { n: null, t: null },
  { n: 9, t: 'Run 9' },
]
const texts = (sorted: typeof rows) => sorted.map(({ t }) => t)

test('sorts numbers as numbers, with what has none last in either direction', () => {
  assert.deepEqual(texts(inOrder(rows, ({ n }) => n, 'ascending')), ['Run 9', 'run 10', null])
  assert.deepEqual(texts(inOrder(rows, ({ n }) => n, 'descending')), ['run 10', 'Run 9', null])
})

test('sorts words as people do: 9 before 10, whatever the case', () => {
  assert.deepEqual(texts(inOrder(rows, ({ t }) => t, 'ascending')), ['Run 9', 'run 10', null])
})

test('leaves the rows of a column that cannot be sorted, and never changes what it was given', () => {
  assert.equal(inOrder(rows, undefined), rows)
  inOrder(rows, ({ n }) => n)
  assert.equal(rows[0]?.n, 10)
})
