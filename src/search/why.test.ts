import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredLevel } from '../permissions/levels.ts'
import { whyOf } from './why.ts'

const asOf = new Date('2026-05-04T12:00:00Z')
const ref = {
  recordId: 'w/3',
  title: 'Gate plans',
  scope: 'MILL',
  scopeName: 'The mill',
  ancestors: [
    { id: '1', title: 'Home' },
    { id: '2', title: 'Plans' },
  ],
}
const scope: StoredLevel = { kind: 'space', id: '7', title: 'The mill', who: ['group:millers'] }

test('it names each restricted level and what admits the reader', () => {
  const levels: StoredLevel[] = [
    scope,
    { kind: 'folder', id: '2', title: 'Plans', who: ['group:board'] },
    { kind: 'page', id: '3', title: 'Gate plans', who: ['user:ann'] },
  ]
  assert.deepEqual(whyOf({ recordId: 'w/3', ref, levels, asOf }), {
    as_of: '2026-05-04T12:00:00.000Z',
    levels: [
      { level: 'space', id: 'MILL', title: 'The mill', by: ['group:millers'] },
      { level: 'ancestor', id: '2', title: 'Plans', by: ['group:board'] },
      { level: 'page', id: '3', title: 'Gate plans', by: ['user:ann'] },
    ],
  })
})

test('it names the document where a source does not name its levels', () => {
  const unnamed = { kind: null, id: null, title: null, who: ['user:ann'] }
  const { levels } = whyOf({ recordId: 'w/3', ref, levels: [scope, unnamed], asOf })
  assert.deepEqual(levels[1], { level: 'page', id: '3', title: 'Gate plans', by: ['user:ann'] })
})
