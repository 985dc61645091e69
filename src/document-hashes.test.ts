import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentRef } from './document.ts'
import { accessHash, metadataHash } from './document-hashes.ts'
import type { Access } from './permissions/levels.ts'

// Ledgers hold these hashes: another value would rewrite every document.
test('it keeps its hashes from one release to the next, for text that PostgreSQL cannot store too', () => {
  const ref = {
    url: 'u\0\ud800x',
    locator: { 10: 'b', 9: 'a', a: 'é' } as Record<string, string>,
    title: '\udc00\0',
    scope: 'k',
    scopeName: 'n',
    labels: ['b', 'a'],
    ancestors: [{ title: 't\0', id: '2' }],
    author: null,
  } as DocumentRef
  assert.equal(metadataHash(ref), '33d6de9a64d7d5106620b023f5b1e214')
  const access = {
    permissions: [{ read: { users: ['b', 'a\0'], groups: [] } }],
    clauses: { c1: ['x'], c0: ['y\ud800'] },
  } as unknown as Access
  assert.equal(accessHash(access), '20a2d7a4824de7be14432fbb262ac9b5')
})
