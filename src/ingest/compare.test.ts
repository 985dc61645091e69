import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { compare } from './compare.ts'
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
  }
}
