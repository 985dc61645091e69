import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capitalized, counted, plural } from './nouns.ts'

test('a noun of a connector type has a plural', () => {
  const nouns = ['space', 'index', 'library', 'notebook', 'inbox', 'branch', 'day', 'notes file']
  assert.deepEqual(nouns.map(plural), [
    'spaces',
    'indexes',
    'libraries',
    'notebooks',
    'inboxes',
    'branches',
    'days',
    'notes files',
  ])
})

test('a counted noun is singular for one only', () => {
  assert.deepEqual(
    [counted(0, 'space'), counted(1, 'space'), counted(1200, 'index')],
    ['0 spaces', '1 space', '1,200 indexes'],
  )
  assert.equal(capitalized('notebook'), 'Notebook')
})
