import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readersOf } from './readers.ts'

const read = (users: string[], groups: string[], access_classes?: string[]) => ({
  data_source: {
    permissions_data: [{ read: { users, groups, ...(access_classes ? { access_classes } : {}) } }],
  },
})

test('readers are classes, groups and people, by name where known', () => {
  const names = new Map([
    ['g1', 'engineering'],
    ['u1', 'Lena Fischer'],
  ])
  assert.deepEqual(readersOf(read(['u1', 'u2'], ['g1'], ['all-licensed-users']), names), [
    'every licensed user',
    'the group engineering',
    'Lena Fischer',
    'u2',
  ])
  assert.deepEqual(readersOf(read([], [])), ['no one'])
  assert.deepEqual(readersOf({ data_source: null }), [])
})
