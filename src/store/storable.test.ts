import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storableJson } from './storable.ts'

test('it removes characters that PostgreSQL refuses, at any depth', () => {
  const rows = [
    { message: 'a\0b', nested: { names: ['half \ud800 pair', 'whole 😀'] }, count: 1, none: null },
  ]
  assert.deepEqual(JSON.parse(storableJson(rows)), [
    { message: 'ab', nested: { names: ['half \ufffd pair', 'whole 😀'] }, count: 1, none: null },
  ])
})
