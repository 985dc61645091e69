import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_ONE, NOBODY_ACCESS } from '../access.ts'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { compare } from './compare.ts'
import {
  dataSource,
  HIDDEN,
  hiddenDataSource,
  STATE_FORM,
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
  access: { ...NOBODY_ACCESS, clauses: { c0: ['group:wiki.example/millers'] } },
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
const old = (state: string) => state.slice(STATE_FORM.length)
const run = { settingsHash: 's', reprocessAll: false }

test('a document with names of the old form gets new permissions and nothing else', () => {
  const before = { ...ref, access: { ...ref.access, clauses: { c0: ['group:millers'] } } }
  assert.equal(compare(ref, entry(old(stateHash(before))), run), 'permissions_only')
  assert.equal(compare(ref, entry(stateHash(ref)), run), 'unchanged')
})

test('a document whose clauses are the same in both forms is rewritten too', () => {
  assert.equal(compare(ref, entry(old(stateHash(ref))), run), 'permissions_only')
})

test('what an earlier version wrote agrees with its ledger', () => {
  const written = dataSource(ref, '1', new Date())
  assert.equal(writtenStateHash(written, stateHash(ref)), stateHash(ref))
  assert.equal(writtenStateHash(written, old(stateHash(ref))), old(stateHash(ref)))
})

test('a hidden document is recognised with the entry of today and the one of before', () => {
  const hidden = hiddenDataSource(entry(HIDDEN), new Date())
  assert.deepEqual(hidden.access, { c0: [NO_ONE] })
  assert.equal(writtenStateHash(hidden, HIDDEN), HIDDEN)
  const before = { ...hidden, access: { c0: ['nobody'] } }
  assert.equal(writtenStateHash(before, 'hidden'), 'hidden')
  const shown = { ...hidden, access: { c0: ['user:ann'] } }
  assert.notEqual(writtenStateHash(shown, HIDDEN), HIDDEN)
})
