import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyOf } from './why.ts'

const asOf = new Date('2026-05-04T12:00:00Z')
const ref = {
  title: 'Gate plans',
  space: { key: 'MILL', name: 'The mill' },
  ancestors: [
    { id: '1', title: 'Home' },
    { id: '2', title: 'Plans' },
  ],
  position: '3',
  locator: { page_id: '3' },
}

test('it names each restricted level and what admits the reader', () => {
  const matched = { c0: ['group:millers'], c1: ['group:board'], c2: ['user:ann'] }
  const why = whyOf({ recordId: 'w/3', set: 'w/7/2/3;update=3', ref, matched, asOf })
  assert.deepEqual(why, {
    as_of: '2026-05-04T12:00:00.000Z',
    levels: [
      { level: 'space', id: 'MILL', title: 'The mill', by: ['group:millers'] },
      { level: 'ancestor', id: '2', title: 'Plans', by: ['group:board'] },
      { level: 'page', id: '3', title: 'Gate plans', by: ['user:ann'] },
    ],
  })
})

test('it names the document where a source does not name its levels', () => {
  const matched = { c0: ['class:anonymous-users'], c1: ['user:ann'] }
  const { levels } = whyOf({ recordId: 'w/3', set: '0f3a', ref, matched, asOf })
  assert.deepEqual(
    levels.map(({ level, id, by }) => [level, id, by]),
    [
      ['space', 'MILL', ['class:anonymous-users']],
      ['page', '3', ['user:ann']],
    ],
  )
})
