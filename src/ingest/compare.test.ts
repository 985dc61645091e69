import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { READABLE } from '../pipeline/pipeline.ts'
import { compare, staysOut } from './compare.ts'
import { stateHash } from './data-source.ts'

const run = { settingsHash: 'settings', reprocessAll: false }

test('a document the ledger does not know is new', () => {
  assert.equal(compare(ref(), undefined, run), 'new')
})

test('a document that was begun and never written once is still new', () => {
  assert.equal(compare(ref(), { ...entry(), settled: false, version: '' }, run), 'new')
})

test('an equal document is unchanged', () => {
  assert.equal(compare(ref(), entry(), run), 'unchanged')
})

test('another version, other settings, an unfinished write and a forced run each mean changed', () => {
  assert.equal(compare({ ...ref(), version: '8' }, entry(), run), 'changed')
  assert.equal(compare(ref(), entry(), { ...run, settingsHash: 'others' }), 'changed')
  assert.equal(compare(ref(), { ...entry(), settled: false }, run), 'changed')
  assert.equal(compare(ref(), entry(), { ...run, reprocessAll: true }), 'changed')
  const { ownText: _, ...old } = entry()
  assert.equal(compare(ref(), old, run), 'changed')
})

test('other rights, labels or place alone need no second look at the text', () => {
  const rights: DocumentRef['access'] = { ...ref().access, clauses: { c0: ['group:other'] } }
  assert.equal(compare({ ...ref(), access: rights }, entry(), run), 'permissions_only')
  assert.equal(compare({ ...ref(), labels: ['new'] }, entry(), run), 'permissions_only')
  assert.equal(
    compare({ ...ref(), ancestors: [{ id: '9', title: 'Elsewhere' }] }, entry(), run),
    'permissions_only',
  )
})

test('a document that was skipped stays skipped until it has another version, other settings or another reader', () => {
  const skipped = {
    ...entry(),
    elementIds: [],
    skipped: { code: 'document_unsupported', message: 'a film', readable: READABLE },
  }
  assert.equal(compare(ref(), skipped, run), 'skipped')
  assert.equal(compare({ ...ref(), labels: ['new'], scope: 'OPS' }, skipped, run), 'skipped')
  assert.equal(compare({ ...ref(), version: '8' }, skipped, run), 'changed')
  assert.equal(compare(ref(), skipped, { ...run, settingsHash: 'others' }), 'changed')
  assert.equal(compare(ref(), skipped, { ...run, reprocessAll: true }), 'changed')
  assert.equal(compare(ref(), { ...skipped, settled: false }, run), 'changed')
  const before = { ...skipped.skipped, readable: 'text/html' }
  assert.equal(compare(ref(), { ...skipped, skipped: before }, run), 'changed')
})

test('what the source cannot decide yet stays out unless something of it is in the index', () => {
  const undecided: DocumentRef = { ...ref(), undecided: true }
  const skipped = { code: 'file_too_large', message: 'large', readable: READABLE }
  assert.equal(staysOut(ref(), undefined), false)
  assert.equal(staysOut(undecided, undefined), true)
  assert.equal(staysOut(undecided, { ...entry(), elementIds: [], settled: false, version: '' }), true)
  const cutShort = { ...entry(), settled: false, version: '' }
  assert.equal(staysOut(undecided, cutShort), false, 'a crash may have left it there')
  assert.equal(staysOut(undecided, { ...entry(), elementIds: [], skipped }), true)
  assert.equal(staysOut(undecided, entry()), false)
  assert.equal(staysOut(undecided, { ...entry(), settled: false }), false)
})

test('labels in another order are the same labels', () => {
  assert.equal(stateHash({ ...ref(), labels: ['a', 'b'] }), stateHash({ ...ref(), labels: ['b', 'a'] }))
})

test('a ref that was stored and read again is the same, whatever order its keys came back in', () => {
  const shuffled = (value: unknown): unknown =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, each]) => [key, shuffled(each)]),
        )
      : value
  assert.equal(stateHash(shuffled(ref()) as DocumentRef), stateHash(ref()))
})

function ref(): DocumentRef {
  return {
    recordId: 'wiki.example/1',
    scope: 'ENG',
    position: '00000000000000000001',
    version: '7',
    title: 'Runbook',
    url: 'https://wiki.example/wiki/spaces/ENG/pages/1',
    locator: { space_key: 'ENG', page_id: '1' },
    filename: '1.html',
    createdAt: null,
    modifiedAt: null,
    author: null,
    space: { key: 'ENG', name: 'Engineering' },
    labels: [],
    ancestors: [],
    access: {
      permissions: [
        { read: { users: [], groups: ['g'] } },
        { update: { users: [], groups: [] } },
        { delete: { users: [], groups: [] } },
      ],
      clauses: { c0: ['group:g'] },
    },
  }
}

function entry(): Entry {
  return {
    recordId: 'wiki.example/1',
    scope: 'ENG',
    position: '00000000000000000001',
    locator: { space_key: 'ENG', page_id: '1' },
    version: '7',
    stateHash: stateHash(ref()),
    settingsHash: 'settings',
    elementIds: ['e1'],
    settled: true,
    ownText: true,
  }
}
