import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import { NO_ONE_TOKEN } from '../permissions/principals.ts'
import { dataSource, HIDDEN_STATE, hiddenDataSource, stateHash, writtenStateHash } from './data-source.ts'

const ref: DocumentRef = {
  recordId: 'wiki.example/1',
  scope: 'ENG',
  position: '1',
  version: '1',
  title: 'One',
  filename: 'one.html',
  url: 'https://wiki.example/1',
  locator: { page_id: '1', space_key: 'ENG' },
  scopeName: 'Engineering',
  ancestors: [],
  labels: [],
  author: null,
  createdAt: null,
  modifiedAt: null,
  access: { ...NO_ACCESS, clauses: { c0: ['group:wiki.example/millers'] } },
}
const entry = (state: string): Entry => ({
  recordId: ref.recordId,
  scope: 'ENG',
  position: '1',
  locator: ref.locator,
  version: '1',
  stateHash: state,
  settingsHash: 's',
  elementIds: ['a'],
  settled: true,
})

test('it computes the state of written elements', () => {
  assert.equal(writtenStateHash(dataSource(ref, '1', new Date())), stateHash(ref))
})

test('it recognises hidden documents', () => {
  const hidden = hiddenDataSource(entry(HIDDEN_STATE), new Date())
  assert.deepEqual(hidden.access, { c0: [NO_ONE_TOKEN] })
  assert.equal(writtenStateHash(hidden), HIDDEN_STATE)
  const shown = { ...hidden, access: { c0: ['user:ann'] } }
  assert.notEqual(writtenStateHash(shown), HIDDEN_STATE)
})
