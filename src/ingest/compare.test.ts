import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { READABLE_TYPES_HASH } from '../pipeline/pipeline.ts'
import { compare, isExcluded } from './compare.ts'
import { stateHash } from './data-source.ts'

const run = { settingsHash: 'settings', reprocessAll: false }

test('it treats a document without a ledger entry as new', () => {
  assert.equal(compare(ref(), undefined, run), 'new')
})

test('it treats a document as new if its first write did not finish', () => {
  assert.equal(compare(ref(), { ...entry(), settled: false, version: '' }, run), 'new')
})

test('it treats an equal document as unchanged', () => {
  assert.equal(compare(ref(), entry(), run), 'unchanged')
})

test('it treats a document as changed after a new version or new settings, or if all are reprocessed', () => {
  assert.equal(compare({ ...ref(), version: '8' }, entry(), run), 'changed')
  assert.equal(compare(ref(), entry(), { ...run, settingsHash: 'others' }), 'changed')
  assert.equal(compare(ref(), { ...entry(), settled: false }, { ...run, settingsHash: 'others' }), 'changed')
  assert.equal(compare(ref(), entry(), { ...run, reprocessAll: true }), 'changed')
})

test('it updates only permissions, at first, while another task writes the document', () => {
  assert.equal(compare(ref(), { ...entry(), settled: false }, run), 'permissions_only')
})

test('it updates only permissions if permissions, labels or ancestors changed', () => {
  const access: DocumentRef['access'] = { ...ref().access, clauses: { c0: ['group:other'] } }
  assert.equal(compare({ ...ref(), access }, entry(), run), 'permissions_only')
  assert.equal(compare({ ...ref(), labels: ['new'] }, entry(), run), 'permissions_only')
  assert.equal(
    compare({ ...ref(), ancestors: [{ id: '9', title: 'Elsewhere' }] }, entry(), run),
    'permissions_only',
  )
})

test('it skips a document again until its version, the settings or the readable types change', () => {
  const skipped = {
    ...entry(),
    elementIds: [],
    skipped: { code: 'document_unsupported', message: 'a film', readable: READABLE_TYPES_HASH },
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

test('it excludes undecided documents unless the index may hold elements of them', () => {
  const undecided: DocumentRef = { ...ref(), undecided: true }
  const skipped = { code: 'file_too_large', message: 'large', readable: READABLE_TYPES_HASH }
  assert.equal(isExcluded(ref(), undefined), false)
  assert.equal(isExcluded(undecided, undefined), true)
  assert.equal(isExcluded(undecided, { ...entry(), elementIds: [], settled: false, version: '' }), true)
  const interrupted = { ...entry(), settled: false, version: '' }
  assert.equal(isExcluded(undecided, interrupted), false, 'a crash may have left elements in the index')
  assert.equal(isExcluded(undecided, { ...entry(), elementIds: [], skipped }), true)
  assert.equal(isExcluded(undecided, entry()), false)
  assert.equal(isExcluded(undecided, { ...entry(), settled: false }), false)
})

test('it ignores the order of labels', () => {
  assert.equal(stateHash({ ...ref(), labels: ['a', 'b'] }), stateHash({ ...ref(), labels: ['b', 'a'] }))
})

test('it ignores the order of keys in a stored ref', () => {
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
    scopeName: 'Engineering',
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
  }
}
