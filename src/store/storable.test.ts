import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storable } from './storable.ts'

test('it leaves out what no column takes, however deep it stands', () => {
  const rows = [
    { message: 'a\0b', nested: { names: ['half \ud800 pair', 'whole 😀'] }, count: 1, none: null },
  ]
  assert.deepEqual(JSON.parse(storable(rows)), [
    { message: 'ab', nested: { names: ['half \ufffd pair', 'whole 😀'] }, count: 1, none: null },
  ])
})
