import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readersOf } from './readers.ts'

const read = (users: string[], groups: string[], access_classes?: string[]) => ({
  data_source: {
    permissions_data: [{ read: { users, groups, ...(access_classes ? { access_classes } : {}) } }],
  },
})

test('readers are classes, groups and people', () => {
  assert.deepEqual(readersOf(read(['u1', 'u2'], ['g1'], ['all-licensed-users'])), [
    'class:all-licensed-users',
    'group:g1',
    'user:u1',
    'user:u2',
  ])
  assert.deepEqual(readersOf(read([], [])), [])
  assert.equal(readersOf({ data_source: null }), undefined)
})
