import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyOf } from '../../access.ts'
import type { Level } from '../../connectors/connector.ts'
import { explanation } from './explain.ts'

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

test('it allows what every level allows, and says by whom each is passed', () => {
  const levels = [
    level('space', { who: anyOf(['ben'], ['zoo']) }),
    level('ancestor', { who: null }),
    level('page', { who: anyOf(['ann', 'ben']) }),
  ]
  const { allowed, operation, chain } = explanation(levels, ann)
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
})

test('it allows nothing where one level names others, nobody, or could not be read', () => {
  const open = level('space', { who: anyOf([], [], ['anonymous-users']) })
  assert.equal(explanation([open], ann).allowed, true)
  for (const rule of [{ who: anyOf(['ben']) }, { who: anyOf() }, { unread: 'the wiki would not say' }]) {
    const { allowed, chain } = explanation([open, level('page', rule)], ann)
    assert.deepEqual([allowed, chain[1]?.satisfied, chain[1]?.by], [false, false, null])
  }
  assert.equal(explanation([], ann).allowed, false)
})

test('it names the first fifty of a long list, and how many more there are', () => {
  const many = anyOf(Array.from({ length: 60 }, (_, i) => `person-${String(i).padStart(2, '0')}`))
  const [only] = explanation([level('page', { who: many })], {
    user: 'person-59',
    groups: [],
    classes: [],
  }).chain
  assert.match(only?.rule ?? '', /person-49 and 10 more$/)
  assert.equal(only?.by, 'user:person-59')
})
