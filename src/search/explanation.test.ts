import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Level } from '../connectors/source.ts'
import { anyOf } from '../permissions/principals.ts'
import { explanation } from './explanation.ts'

const asOf = new Date('2026-01-31T12:00:00Z')
const level = (
  kind: Level['level'],
  rule: { who: ReturnType<typeof anyOf> | null } | { unread: string },
): Level => ({
  level: kind,
  id: kind,
  title: `the ${kind}`,
  asOf,
  ...rule,
})
const ann = { user: 'ann', groups: ['zoo'], classes: ['anonymous-users'] }

test('it allows what every level allows, and names the matching token of each', () => {
  const levels = [
    level('space', { who: anyOf(['ben'], ['zoo']) }),
    level('ancestor', { who: null }),
    level('page', { who: anyOf(['ann', 'ben']) }),
  ]
  const { allowed, operation, chain } = explanation(levels, ann, 'all')
  assert.deepEqual([allowed, operation], [true, 'read'])
  assert.deepEqual(
    chain.map(({ rule, satisfied, by }) => [rule, satisfied, by]),
    [
      ['readable by group:zoo, user:ben', true, 'group:zoo'],
      ['not restricted here', true, null],
      ['readable by user:ann, user:ben', true, 'user:ann'],
    ],
  )
  assert.equal(chain[0]?.as_of, '2026-01-31T12:00:00.000Z')
  assert.ok(chain.every(({ decides }) => !decides))
  assert.deepEqual(chain[0]?.principals, {
    ...{ users: [{ id: 'ben', name: null }], groups: [{ id: 'zoo', name: null }], classes: [], more: 0 },
  })
})

test('it marks the first level that does not admit the person', () => {
  const levels = [
    level('space', { who: anyOf([], [], ['anonymous-users']) }),
    level('ancestor', { who: anyOf(['ben']) }),
    level('page', { who: anyOf(['cat']) }),
  ]
  const { chain } = explanation(levels, ann, 'all')
  assert.deepEqual(
    chain.map(({ decides }) => decides),
    [false, true, false],
  )
})

test('it denies access if one level names other people, is empty or could not be read', () => {
  const open = level('space', { who: anyOf([], [], ['anonymous-users']) })
  assert.equal(explanation([open], ann, 'all').allowed, true)
  for (const rule of [{ who: anyOf(['ben']) }, { who: anyOf() }, { unread: 'the wiki did not respond' }]) {
    const { allowed, chain } = explanation([open, level('page', rule)], ann, 'all')
    assert.deepEqual([allowed, chain[1]?.satisfied, chain[1]?.by], [false, false, null])
  }
  assert.equal(explanation([], ann, 'all').allowed, false)
})

test('it names the first fifty of a long list, and how many more there are', () => {
  const many = anyOf(Array.from({ length: 60 }, (_, i) => `person-${String(i).padStart(2, '0')}`))
  const person = { user: 'person-59', groups: [], classes: [] }
  const [only] = explanation([level('page', { who: many })], person, 'all').chain
  assert.match(only?.rule ?? '', /person-49 and 10 more$/)
  assert.equal(only?.by, 'user:person-59')
  assert.deepEqual([only?.principals.users.length, only?.principals.more], [50, 10])
})

test('it names no other people to a person who asks about themselves', () => {
  const levels = [
    level('space', { who: anyOf(['ben'], ['zoo', 'board']) }),
    level('page', { who: anyOf(['ben']) }),
  ]
  assert.deepEqual(
    explanation(levels, ann, 'own').chain.map(({ rule }) => rule),
    ['readable by group:zoo', 'readable by no one'],
  )
  assert.deepEqual(
    explanation(levels, ann, 'own').chain.map(({ principals: { users, groups } }) => [users, groups]),
    [
      [[], [{ id: 'zoo', name: null }]],
      [[], []],
    ],
  )
})
