import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decidingFirst, tokensOf } from './explanation.ts'
import type { Level } from './types.ts'

const NO_ONE = { users: [], groups: [], classes: [], more: 0 }
const level = (id: string, satisfied: boolean, decides = false): Level => ({
  ...{ level: 'page', id, title: id, rule: '', satisfied, decides, principals: NO_ONE, by: null },
  as_of: '2026-05-04T12:00:00.000Z',
})

test('it puts the deciding level first and keeps the order of the others', () => {
  const chain = [level('space', true), level('home', false, true), level('page', false)]
  const { deciding, others } = decidingFirst(chain)
  assert.equal(deciding?.id, 'home')
  assert.deepEqual(
    others.map(({ id }) => id),
    ['space', 'page'],
  )
})

test('it has no deciding level if every level lets the person in', () => {
  const { deciding, others } = decidingFirst([level('space', true), level('page', true)])
  assert.equal(deciding, undefined)
  assert.equal(others.length, 2)
})

test('it lists classes, then groups, then people', () => {
  assert.deepEqual(
    tokensOf({
      users: [{ id: 'u', name: 'Una' }],
      groups: [{ id: 'g', name: null }],
      classes: ['anonymous-users', 'class:wiki.example/authenticated-users'],
      more: 0,
    }),
    [
      { token: 'class:anonymous-users', name: null },
      { token: 'class:wiki.example/authenticated-users', name: null },
      { token: 'group:g', name: null },
      { token: 'user:u', name: 'Una' },
    ],
  )
})
