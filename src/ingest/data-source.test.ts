import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_ACCESS, NO_ONE_TOKEN } from '../access.ts'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { compare } from './compare.ts'
import {
  dataSource,
  HIDDEN_STATE,
  hiddenDataSource,
  STATE_HASH_PREFIX,
  stateHash,
  writtenStateHash,
} from './data-source.ts'

const ref: DocumentRef = {
  recordId: 'wiki.example/1',
  scope: 'ENG',
  position: '1',
  version: '1',
  title: 'One',
  filename: 'one.html',
  url: 'https://wiki.example/1',
  locator: { page_id: '1', space_key: 'ENG' },
  space: { key: 'ENG', name: 'Engineering' },
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
  ownText: true,
})
const old = (state: string) => state.slice(STATE_HASH_PREFIX.length)
const run = { settingsHash: 's', reprocessAll: false }

test('it updates only permissions of a document with old token names', () => {
  const before = { ...ref, access: { ...ref.access, clauses: { c0: ['group:millers'] } } }
  assert.equal(compare(ref, entry(old(stateHash(before))), run), 'permissions_only')
  assert.equal(compare(ref, entry(stateHash(ref)), run), 'unchanged')
})

test('it also updates a document whose clauses are equal in both forms', () => {
  assert.equal(compare(ref, entry(old(stateHash(ref))), run), 'permissions_only')
})

test('it computes equal hashes for elements that an earlier release wrote', () => {
  const written = dataSource(ref, '1', new Date())
  assert.equal(writtenStateHash(written, stateHash(ref)), stateHash(ref))
  assert.equal(writtenStateHash(written, old(stateHash(ref))), old(stateHash(ref)))
})

test('it recognises hidden documents of this and of earlier releases', () => {
  const hidden = hiddenDataSource(entry(HIDDEN_STATE), new Date())
  assert.deepEqual(hidden.access, { c0: [NO_ONE_TOKEN] })
  assert.equal(writtenStateHash(hidden, HIDDEN_STATE), HIDDEN_STATE)
  const before = { ...hidden, access: { c0: ['nobody'] } }
  assert.equal(writtenStateHash(before, 'hidden'), 'hidden')
  const shown = { ...hidden, access: { c0: ['user:ann'] } }
  assert.notEqual(writtenStateHash(shown, HIDDEN_STATE), HIDDEN_STATE)
})
